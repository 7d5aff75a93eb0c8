import { createRequire } from 'node:module';
import type { Sharp } from 'sharp';
import type { FileVerdict, JpegPreview } from '../parse-verdict.ts';
import { FileFault, type InspectionRequest } from '../verdict.ts';
import { findJpegEnd, findPngEnd } from './image-structure.ts';
import { readWholeFile } from './read-whole.ts';

// The CommonJS files of sharp load 20 ms faster than its ES modules, and each inspector loads them.
const sharp: typeof import('sharp').default = createRequire(import.meta.url)('sharp');

// Uses one thread and no cache, because inspections run next to the server on the same machine.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });

const pixelsBeyondLimit = /exceeds pixel limit/i;

// A detailed image may need a lower quality to stay within the size limit.
const qualities = [82, 60, 40, 20];

/** Makes a preview of a blank image, so that the libraries are initialised before the first file. */
export async function warmUpLibraries(): Promise<void> {
  const nothing = { create: { width: 128, height: 128, channels: 3, background: '#ffffff' } } as const;
  const picture = await sharp(nothing).jpeg().toBuffer();
  await sharp(picture)
    .autoOrient()
    .resize(32, 32)
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg()
    .toBuffer();
  findJpegEnd(blankScan());
}

// The scan code is only compiled if the coded data is long enough.
function blankScan(): Buffer {
  const startOfScan = [0xff, 0xda, 0, 2];
  const stuffed = Buffer.alloc(64 * 1024, Buffer.from([0xff, 0]));
  return Buffer.concat([Buffer.from([0xff, 0xd8, ...startOfScan]), stuffed, Buffer.from([0xff, 0xd9])]);
}

/** Checks a JPEG or PNG up to the end of its image (§5.17) and makes the processed JPEG. */
export async function inspectImage(
  inspection: InspectionRequest,
  format: 'image/jpeg' | 'image/png',
): Promise<FileVerdict> {
  const options = { failOn: 'warning', limitInputPixels: inspection.imageMaxPixels, sequentialRead: true } as const;
  const bytes = await readWholeFile(inspection.file);
  const keptBytes = format === 'image/png' ? findPngEnd(bytes) : findJpegEnd(bytes);
  const open = () => sharp(bytes.subarray(0, keptBytes), options);
  try {
    const metadata = await open().metadata();
    if (`image/${metadata.format}` !== format) throw new FileFault('broken');
    if ((metadata.pages ?? 1) > 1) throw new FileFault('animated');
    const { width, height } = metadata.autoOrient;
    const preview = await makePreview(() => open().autoOrient(), inspection);
    return { kind: 'accepted', mediaType: format, keptBytes, width, height, pageCount: null, preview };
  } catch (error) {
    if (error instanceof FileFault) throw error;
    const message = error instanceof Error ? error.message : '';
    throw new FileFault(pixelsBeyondLimit.test(message) ? 'too_many_pixels' : 'broken', error);
  }
}

/** Makes the processed JPEG: bounded sides, sRGB, no metadata (§5.27). */
export async function makePreview(
  open: () => Sharp,
  { previewMaxPixelsPerSide: side, previewMaxBytes }: InspectionRequest,
): Promise<JpegPreview> {
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
