import sharp from 'sharp';

/** Creates the same preview as the server. */
export async function makePreview(file: string): Promise<Buffer> {
  return await sharp(file, { failOn: 'warning' })
    .autoOrient()
    .resize({ width: 1_280, height: 1_280, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg({ quality: 82 })
    .toBuffer();
}
