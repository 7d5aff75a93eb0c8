import { readFile, stat } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { checkJpeg, checkPng } from './image-structure.ts';
import { FileFault, type Inspection, type Verdict } from './verdict.ts';

// Two files at a time share the machine with everything else the server does.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile'] });

const pixelsBeyondLimit = /exceeds pixel limit/i;

// Smooth first; a picture so busy that it does not fit is coded more tightly.
const qualities = [82, 60, 40, 20];

/** Checks a JPEG or PNG to its last byte and makes the processed JPEG. */
export async function inspectImage(inspection: Inspection, format: 'image/jpeg' | 'image/png'): Promise<Verdict> {
  const { file, imageMaxPixels } = inspection;
  const options = { failOn: 'warning', limitInputPixels: imageMaxPixels, sequentialRead: true } as const;
  const bytes = await readFile(file);
  if (format === 'image/png') checkPng(bytes);
  else checkJpeg(bytes);
  try {
    const metadata = await sharp(file, options).metadata();
    if (`image/${metadata.format}` !== format) throw new FileFault('broken');
    if ((metadata.pages ?? 1) > 1) throw new FileFault('animated');
    const { width, height } = metadata.autoOrient;
    const preview = await writePreview(() => sharp(file, options).autoOrient(), inspection);
    return { kind: 'accepted', mediaType: format, width, height, pageCount: null, preview };
  } catch (error) {
    if (error instanceof FileFault) throw error;
    const message = error instanceof Error ? error.message : '';
    throw new FileFault(pixelsBeyondLimit.test(message) ? 'too_many_pixels' : 'broken', error);
  }
}

/** Writes the processed JPEG: bounded sides, sRGB, nothing but the picture (D-39). */
export async function writePreview(
  open: () => Sharp,
  { preview, previewMaxPixelsPerSide: side, previewMaxBytes }: Inspection,
): Promise<{ width: number; height: number }> {
  for (const quality of qualities) {
    const { width, height } = await open()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality })
      .toFile(preview);
    if ((await stat(preview)).size <= previewMaxBytes) return { width, height };
  }
  throw new FileFault('too_costly');
}
