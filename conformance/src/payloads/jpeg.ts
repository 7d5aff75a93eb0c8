import type { Random } from '../world/random.ts';

// A baseline JPEG of 24 by 16 pixels with a colour gradient and no metadata.
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

/** A photograph whose EXIF description contains a word that occurs nowhere else. */
export interface Photo {
  readonly bytes: Buffer;
  readonly exifWord: string;
}

export function makePhoto(random: Random): Photo {
  const exifWord = `exif${random.bytes(9).toString('hex')}`;
  const bytes = Buffer.concat([picture.subarray(0, 2), exifSegment(exifWord), picture.subarray(2)]);
  return { bytes, exifWord };
}

export function isJpeg(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).toString('hex') === 'ffd8ff' && bytes.includes(Buffer.from('ffd9', 'hex'));
}

/** Reads the first frame header; returns undefined without one. */
export function parseJpegDimensions(bytes: Buffer): readonly [width: number, height: number] | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    // Frame markers are C0 to CF, except for table markers and reserved ones.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

// An EXIF directory with one entry, ImageDescription, followed by its text.
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
