import sharp, { type Sharp } from 'sharp';

/** Makes a JPEG of soft, grainy shapes, which takes as long to process as a real photograph of this size. */
export async function makePhotograph(megapixels: number): Promise<Buffer> {
  const height = Math.round(Math.sqrt(megapixels * 750_000));
  const width = Math.round((height * 4) / 3);
  const shapes = makeNoise(40, 30, 60).resize(width, height, { kernel: 'cubic' });
  const grain = makeNoise(width, height, 30).blur(0.6);
  const [below, above] = [await toPng(shapes), await toPng(grain)];
  return await sharp(below)
    .composite([{ input: above, blend: 'overlay' }])
    .jpeg({ quality: 90 })
    .toBuffer();
}

function makeNoise(width: number, height: number, sigma: number): Sharp {
  const noise = { type: 'gaussian', mean: 128, sigma } as const;
  return sharp({ create: { width, height, channels: 3, background: '#888', noise } });
}

function toPng(picture: Sharp): Promise<Buffer> {
  return picture.png({ compressionLevel: 0 }).toBuffer();
}
