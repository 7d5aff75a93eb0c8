import sharp from 'sharp';

/** Limits the memory for a picture, regardless of the size that its file claims. */
const inputMaxPixels = 20_000_000;

/** Makes a picture smaller: returns a JPEG of at most this many pixels a side, upright and without metadata. */
export async function makeThumbnail(picture: Uint8Array, maxPixelsPerSide: number): Promise<Buffer> {
  return await sharp(picture, { limitInputPixels: inputMaxPixels })
    .rotate()
    .resize({ width: maxPixelsPerSide, height: maxPixelsPerSide, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .jpeg({ quality: 82 })
    .toBuffer();
}

/** Reads the requested size. The description is untrusted text: only one number is read from it. */
export function parseRequestedSize(description: string): number {
  const requested = Number(/\b(\d{2,4}) ?px\b/.exec(description)?.[1] ?? 200);
  return Math.min(Math.max(requested, 16), 1_280);
}
