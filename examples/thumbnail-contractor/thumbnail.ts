import sharp from 'sharp';

/** A picture is never larger than this in memory, whatever its file claims. */
const inputMaxPixels = 20_000_000;

/** Makes a picture smaller: a JPEG of at most so many pixels a side, upright and without metadata. */
export async function makeThumbnail(picture: Uint8Array, maxPixelsPerSide: number): Promise<Buffer> {
  return await sharp(picture, { limitInputPixels: inputMaxPixels })
    .rotate()
    .resize({ width: maxPixelsPerSide, height: maxPixelsPerSide, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .jpeg({ quality: 82 })
    .toBuffer();
}

/**
 * Reads the size that a customer asks for. A description is a text of somebody
 * else: one number is looked for in it, and nothing in it is obeyed.
 */
export function readWantedSize(description: string): number {
  const wanted = Number(/\b(\d{2,4}) ?px\b/.exec(description)?.[1] ?? 200);
  return Math.min(Math.max(wanted, 16), 1_280);
}
