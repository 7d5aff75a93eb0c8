import { createRequire } from 'node:module';

// The CommonJS files of sharp load faster than its ES modules, which the floor of uploads needs.
const sharp: typeof import('sharp').default = createRequire(import.meta.url)('sharp');

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
