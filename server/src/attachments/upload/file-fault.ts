import type { FaultCode } from '../../inspection/verdict.ts';

/** The reasons for refused files, each with a remedy. */
export const faultMessages: Readonly<Record<FaultCode, string>> = {
  unknown_format: 'The content of the file is neither JPEG nor PNG nor PDF. Convert it to one of these formats.',
  format_not_for_purpose: 'An avatar or character image must be JPEG or PNG. Convert the file.',
  broken: 'The file is damaged, incomplete or of another type than declared. Export it again.',
  animated: 'The image has more than one frame. Send a still image.',
  too_many_pixels: 'The image has over 20 million pixels. Scale it down.',
  too_many_pages: 'The PDF has over 200 pages. Split it.',
  encrypted: 'The PDF is encrypted, possibly with an empty password. Save it without protection.',
  active: 'The PDF has scripts, actions, active forms or media. Print it to a plain PDF.',
  external: 'The PDF refers to content of other files. Print it to a plain PDF.',
  embedded: 'The PDF contains embedded files. Print it to a plain PDF.',
  too_costly: 'The file exceeds the time or memory limit of the check. Simplify it.',
};
