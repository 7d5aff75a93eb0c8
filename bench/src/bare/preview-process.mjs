import { createRequire } from 'node:module';

// Makes the preview of a file and exits: the floor of an upload by another agent, because files of different agents
// are checked in different processes.
const sharp = createRequire(import.meta.url)('sharp');
sharp.concurrency(1);
await sharp(process.argv[2], { failOn: 'warning', sequentialRead: true })
  .autoOrient()
  .resize({ width: 1_280, height: 1_280, fit: 'inside', withoutEnlargement: true })
  .flatten({ background: '#ffffff' })
  .toColourspace('srgb')
  .jpeg({ quality: 82 })
  .toBuffer();
process.exit();
