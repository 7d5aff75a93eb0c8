import type { FileVerdict } from './parse-verdict.ts';

/** A verdict as one line of text. */
export function formatVerdict(verdict: FileVerdict): string {
  if (verdict.kind === 'refused') return JSON.stringify({ verdict });
  const { jpeg, ...size } = verdict.preview;
  const picture = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength).toString('base64');
  return JSON.stringify({ verdict: { ...verdict, preview: size }, picture });
}
