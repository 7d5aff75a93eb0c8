import { activePdfs, makeEncryptedPdf } from './pdf.ts';
import { makeAnimatedPng } from './png.ts';

const gif = Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA=', 'base64');
const bmp = Buffer.from(
  '424d3a0000000000000036000000280000000100000001000000010018000000000004000000130b0000130b00000000000000000000ffffff00',
  'hex',
);
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>',
);
// The first box of a video, which names its format, and an empty box of media.
const mp4 = Buffer.from('00000018667479706d703432000000006d70343269736f6d000000086d646174', 'hex');
const text = Buffer.from('This is a text and no picture.\n');

/** A file that must not be taken, as its client presents it. */
export interface RefusedFile {
  readonly what: string;
  readonly make: () => Buffer;
  readonly filename: string;
  readonly type: string;
}

/** Pictures and other files of refused kinds. */
export const refusedPictures: readonly RefusedFile[] = [
  { what: 'a GIF', make: () => gif, filename: 'picture.gif', type: 'image/gif' },
  { what: 'an animated PNG', make: makeAnimatedPng, filename: 'picture.png', type: 'image/png' },
  { what: 'an SVG', make: () => svg, filename: 'picture.svg', type: 'image/svg+xml' },
  { what: 'a BMP', make: () => bmp, filename: 'picture.bmp', type: 'image/bmp' },
  { what: 'a WebP', make: () => webp, filename: 'picture.webp', type: 'image/webp' },
  { what: 'a video', make: () => mp4, filename: 'film.mp4', type: 'video/mp4' },
];

/** PDFs that are encrypted or do something. */
export const refusedPdfs: readonly RefusedFile[] = [
  { what: 'an encrypted PDF', make: makeEncryptedPdf, filename: 'work.pdf', type: 'application/pdf' },
  ...[...activePdfs].map(([what, make]) => ({
    what: `a PDF ${what}`,
    make,
    filename: 'work.pdf',
    type: 'application/pdf',
  })),
];

/** Files that say they are what they are not. */
export const mislabelledFiles: readonly RefusedFile[] = [
  { what: 'a GIF that says it is a JPEG', make: () => gif, filename: 'photo.jpg', type: 'image/jpeg' },
  { what: 'a text that says it is a PNG', make: () => text, filename: 'photo.png', type: 'image/png' },
];
