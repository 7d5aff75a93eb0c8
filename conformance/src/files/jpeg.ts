import { randomBytes } from 'node:crypto';

// A baseline JPEG of 24 by 16 pixels with a gradient of colours and no metadata.
const picture = Buffer.from(
  [
    '/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4O',
    'DhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAQABgDASIAAhEB',
    'AxEB/8QAFwAAAwEAAAAAAAAAAAAAAAAAAAQFBv/EABgQAAMBAQAAAAAAAAAAAAAAAAADBWFi/8QAFgEBAQEAAAAAAAAAAAAAAAAABAIG',
    '/8QAGxEAAQUBAQAAAAAAAAAAAAAAAAMEBSExAiL/2gAMAwEAAhEDEQA/AMgmfyPpn8lxM/B9M/CFHoVlIZZCTP5A1iZ+AC6e3pqEZDzp',
    '/9k=',
  ].join(''),
  'base64',
);

/** A photograph that nobody else has: its EXIF describes it with a word that stands nowhere else. */
export interface Photo {
  readonly bytes: Buffer;
  readonly exifWord: string;
}

/** Makes a JPEG with EXIF in it. */
export function makePhoto(): Photo {
  const exifWord = `exif${randomBytes(9).toString('hex')}`;
  const bytes = Buffer.concat([picture.subarray(0, 2), exifSegment(exifWord), picture.subarray(2)]);
  return { bytes, exifWord };
}

/** The photograph without the end of its picture. */
export function truncate({ bytes }: Photo): Buffer {
  return bytes.subarray(0, bytes.length - 40);
}

/** Tells a JPEG by its first and last markers. */
export function isJpeg(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).toString('hex') === 'ffd8ff' && bytes.includes(Buffer.from('ffd9', 'hex'));
}

// One directory with one entry, ImageDescription, whose text follows it.
function exifSegment(description: string): Buffer {
  const text = Buffer.from(`${description}\0`);
  const directory = Buffer.alloc(26);
  directory.write('II', 0, 'latin1');
  directory.writeUInt16LE(42, 2);
  directory.writeUInt32LE(8, 4);
  directory.writeUInt16LE(1, 8);
  directory.writeUInt16LE(0x010e, 10);
  directory.writeUInt16LE(2, 12);
  directory.writeUInt32LE(text.length, 14);
  directory.writeUInt32LE(directory.length, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0'), directory, text]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}
