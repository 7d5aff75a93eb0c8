import sharp, { type Sharp } from 'sharp';
import type { FileVerdict, Preview } from '../parse-verdict.ts';
import { FileFault, type InspectionRequest } from '../verdict.ts';
import { checkJpeg, checkPng } from './image-structure.ts';
import { readWhole } from './read-whole.ts';

// Inspections run beside the server on the same machine.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile'] });

const pixelsBeyondLimit = /exceeds pixel limit/i;

// The best quality first; a detailed image may need a lower one to fit.
const qualities = [82, 60, 40, 20];

// For our own image, before any other.
const ownPicture = { operation: ['VipsForeignLoadJpegBuffer'] };

/** Makes a preview of a blank image, so that the libraries are initialised before the first file. */
export async function warmUp(): Promise<void> {
  const nothing = { create: { width: 128, height: 128, channels: 3, background: '#ffffff' } } as const;
  const picture = await sharp(nothing).jpeg().toBuffer();
  sharp.unblock(ownPicture);
  await sharp(picture)
    .autoOrient()
    .resize(32, 32)
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg()
    .toBuffer();
  sharp.block(ownPicture);
  checkJpeg(blankScan());
}

// A JPEG that consists of coded data only, long enough that the scan through it is compiled.
function blankScan(): Buffer {
  const startOfScan = [0xff, 0xda, 0, 2];
  const stuffed = Buffer.alloc(64 * 1024, Buffer.from([0xff, 0]));
  return Buffer.concat([Buffer.from([0xff, 0xd8, ...startOfScan]), stuffed, Buffer.from([0xff, 0xd9])]);
}

/** Checks a JPEG or PNG to its last byte and makes the processed JPEG. */
export async function inspectImage(
  inspection: InspectionRequest,
  format: 'image/jpeg' | 'image/png',
): Promise<FileVerdict> {
  const { file, imageMaxPixels } = inspection;
  const options = { failOn: 'warning', limitInputPixels: imageMaxPixels, sequentialRead: true } as const;
  // The library decodes the image in its own threads while its structure is checked here.
  const making = makePreview(() => sharp(file, options).autoOrient(), inspection);
  making.catch(() => undefined);
  try {
    const [bytes, metadata] = await Promise.all([readWhole(file), sharp(file, options).metadata()]);
    if (format === 'image/png') checkPng(bytes);
    else checkJpeg(bytes);
    if (`image/${metadata.format}` !== format) throw new FileFault('broken');
    if ((metadata.pages ?? 1) > 1) throw new FileFault('animated');
    const { width, height } = metadata.autoOrient;
    return { kind: 'accepted', mediaType: format, width, height, pageCount: null, preview: await making };
  } catch (error) {
    if (error instanceof FileFault) throw error;
    const message = error instanceof Error ? error.message : '';
    throw new FileFault(pixelsBeyondLimit.test(message) ? 'too_many_pixels' : 'broken', error);
  }
}

/** Makes the processed JPEG: bounded sides, sRGB, no metadata (D-39). */
export async function makePreview(
  open: () => Sharp,
  { previewMaxPixelsPerSide: side, previewMaxBytes }: InspectionRequest,
): Promise<Preview> {
  for (const quality of qualities) {
    const { data, info } = await open()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true });
    if (data.length <= previewMaxBytes) return { width: info.width, height: info.height, jpeg: data };
  }
  throw new FileFault('too_costly');
}
