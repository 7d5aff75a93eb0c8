import { crc32 } from 'node:zlib';
import { FileFault } from '../verdict.ts';

const signatureBytes = 8;
const chunkOverheadBytes = 12;

/**
 * Checks the chunks of a PNG to its end: every checksum is right, it has no
 * animation (an `acTL` chunk) and no trailing data.
 */
export function checkPng(bytes: Buffer): void {
  let at = signatureBytes;
  while (at + chunkOverheadBytes <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + chunkOverheadBytes + length;
    if (end > bytes.length) throw new FileFault('broken');
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) throw new FileFault('broken');
    if (type === 'acTL' || type === 'fcTL' || type === 'fdAT') throw new FileFault('animated');
    at = end;
    if (type !== 'IEND') continue;
    if (at !== bytes.length) throw new FileFault('trailing_data');
    return;
  }
  throw new FileFault('broken');
}

const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
const application2 = 0xe2;

/**
 * Checks the segments of a JPEG to the end of its image. Accepted after it are
 * padding, further images of a Multi-Picture index (phones store the brightness
 * map of a photograph there), and the notes that cameras of one maker append; any
 * other data makes the file two files in one.
 */
export function checkJpeg(bytes: Buffer): void {
  let at = 2;
  let hasMultiPictureIndex = false;
  while (at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) throw new FileFault('broken');
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) {
      checkTrailer(bytes.subarray(at + 2), hasMultiPictureIndex);
      return;
    }
    if (marker === startOfImage || marker < 0xc0) throw new FileFault('broken');
    if (at + 4 > bytes.length) break;
    const next = at + 2 + bytes.readUInt16BE(at + 2);
    if (marker === application2 && bytes.toString('latin1', at + 4, at + 8) === 'MPF\0') hasMultiPictureIndex = true;
    at = marker === startOfScan ? skipScan(bytes, next) : next;
  }
  throw new FileFault('broken');
}

// Coded data ends at the next marker that is neither a stuffed byte nor a restart.
function skipScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    const isInside = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isInside) return at;
  }
  return bytes.length;
}

const makerNotesMaxBytes = 64 * 1024;

function checkTrailer(trailer: Buffer, hasMultiPictureIndex: boolean): void {
  const isPadding = trailer.every((byte) => byte === 0 || byte === 0xff || byte === 10 || byte === 13);
  const isPicture = hasMultiPictureIndex && trailer[0] === 0xff && trailer[1] === startOfImage;
  const isMakerNotes = trailer.length <= makerNotesMaxBytes && trailer.subarray(-4).toString('latin1') === 'SEFT';
  if (!isPadding && !isPicture && !isMakerNotes) throw new FileFault('trailing_data');
}
