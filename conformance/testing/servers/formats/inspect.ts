import { jpegSize, mosaicJpeg, type Size, withoutMetadata } from './jpeg.ts';
import { isStaticPdf } from './pdf.ts';
import { readPng } from './png.ts';

const maxPixels = 20_000_000;
const maxPages = 200;

/** What a file of an agent turned out to be. */
export interface Inspected {
  readonly mediaType: 'image/jpeg' | 'image/png' | 'application/pdf';
  readonly size: Size | undefined;
  /** The processed picture. */
  readonly preview: Buffer;
}

/** Reads the content of a file; undefined where the specification does not allow it. */
export function inspect(file: Buffer, pdfAllowed: boolean): Inspected | undefined {
  const jpeg = jpegSize(file);
  if (jpeg !== undefined) {
    if (jpeg.width * jpeg.height > maxPixels) return undefined;
    return { mediaType: 'image/jpeg', size: jpeg, preview: withoutMetadata(file) };
  }
  const png = readPng(file, maxPixels);
  if (png !== undefined) {
    const scale = Math.min(1, 256 / Math.max(png.width, png.height));
    const size = { width: Math.ceil(png.width * scale), height: Math.ceil(png.height * scale) };
    const pixel = (block: number, limit: number) => Math.min(limit - 1, Math.floor((block * 8 + 4) / scale));
    const grey = (column: number, row: number) => png.greyAt(pixel(column, png.width), pixel(row, png.height));
    return { mediaType: 'image/png', size: { width: png.width, height: png.height }, preview: mosaicJpeg(size, grey) };
  }
  if (!pdfAllowed || !isStaticPdf(file, maxPages)) return undefined;
  return { mediaType: 'application/pdf', size: undefined, preview: mosaicJpeg({ width: 128, height: 181 }, () => 250) };
}
