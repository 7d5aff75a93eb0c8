import type { FaultCode } from '../../inspection/verdict.ts';

/** The reasons for refused files, each with a remedy. */
export const faultMessages: Readonly<Record<FaultCode, string>> = {
  unknown_format: 'The file is neither JPEG nor PNG nor PDF, whatever its name says. Convert it to one of them.',
  format_not_for_purpose: 'An avatar or character image must be JPEG or PNG. Convert the file.',
  broken: 'The file is damaged or incomplete, or not what it pretends to be. Export it again.',
  animated: 'The image has more than one frame. Send a still image.',
  trailing_data: 'Something follows after the end of the image. Export it again.',
  too_many_pixels: 'The image has over 20 million pixels. Scale it down.',
  too_many_pages: 'The PDF has over 200 pages. Split it.',
  encrypted: 'The PDF is encrypted, be it with an empty password. Save it without protection.',
  active: 'The PDF has scripts, actions, forms that act, or media. Print it into a plain PDF.',
  external: 'The PDF refers to content of other files. Print it into a plain PDF.',
  embedded: 'The PDF carries other files. Print it into a plain PDF.',
  too_costly: 'The file takes more time or memory to open than a file may. Simplify it.',
};
