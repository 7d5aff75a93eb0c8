import { countJpegPixels } from './jpeg.ts';
import { isStaticPdf } from './pdf.ts';
import { isStillPng } from './png.ts';

const maxPixels = 20_000_000;
const maxPages = 200;

/** Detects the media type of a file from its content; undefined if the specification does not permit the file. */
export function detectFileType(file: Buffer, pdfAllowed: boolean): string | undefined {
  const pixels = countJpegPixels(file);
  if (pixels !== undefined) return pixels > maxPixels ? undefined : 'image/jpeg';
  if (isStillPng(file, maxPixels)) return 'image/png';
  return pdfAllowed && isStaticPdf(file, maxPages) ? 'application/pdf' : undefined;
}
