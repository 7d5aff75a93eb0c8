import type { DemoFile } from './cast/demo-agent.ts';

/** Makes the bytes of a file: a drawing as an image, or a document. */
export async function makeFile(file: DemoFile): Promise<Buffer> {
  if (file.format === 'pdf') return file.bytes();
  // Loaded here: no other part of the server needs it.
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  // The inspection of images blocks all loaders for the whole process; tests load both into one.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  const image = sharp(Buffer.from(file.svg()));
  if (file.format === 'png') return await image.png({ compressionLevel: 9 }).toBuffer();
  return await image.flatten().jpeg({ quality: 88, chromaSubsampling: '4:4:4' }).toBuffer();
}
