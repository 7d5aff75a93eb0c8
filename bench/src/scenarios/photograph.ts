import sharp from 'sharp';

/** A JPEG of 12 megapixels that costs what a photograph costs: soft shapes with grain on them. */
export async function makePhotograph(): Promise<Buffer> {
  const [width, height] = [4_000, 3_000];
  const shapes = await sharp({
    create: {
      width: 40,
      height: 30,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .resize(width, height, { kernel: 'cubic' })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const grain = await sharp({
    create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  })
    .blur(0.6)
    .png({ compressionLevel: 0 })
    .toBuffer();
  return await sharp(shapes)
    .composite([{ input: grain, blend: 'overlay' }])
    .jpeg({ quality: 90 })
    .toBuffer();
}
