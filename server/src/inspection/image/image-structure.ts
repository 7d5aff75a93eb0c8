import { crc32 } from 'node:zlib';
import { FileFault } from '../verdict.ts';

const signatureBytes = 8;
const chunkOverheadBytes = 12;

/**
 * Finds the end of a PNG. Verifies the checksum of every chunk that the pixels depend on, and refuses animations
 * (chunks such as `acTL`). Other chunks may have a wrong checksum, because decoders ignore them.
 */
export function findPngEnd(bytes: Buffer): number {
  let at = signatureBytes;
  while (at + chunkOverheadBytes <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + chunkOverheadBytes + length;
    if (end > bytes.length) throw new FileFault('broken');
    const type = bytes.toString('latin1', at + 4, at + 8);
    const isNeeded = /^[A-Z]|^tRNS$/.test(type);
    if (isNeeded && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      throw new FileFault('broken');
    if (type === 'acTL' || type === 'fcTL' || type === 'fdAT') throw new FileFault('animated');
    if (type === 'IEND') return end;
    at = end;
  }
  throw new FileFault('broken');
}

const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
const jfif = 0xe0;
const adobe = 0xee;
const sequentialFrames = [0xc0, 0xc1, 0xc9];
const progressiveFrames = [0xc2, 0xca];

/**
 * Finds the end of the first image of a JPEG, as its decoder does. Values that only cause a decoder warning are
 * replaced in memory by the values that the decoder assumes, so that every remaining warning means damaged pixels.
 */
export function findJpegEnd(bytes: Buffer): number {
  const header: JpegHeader = { isSequential: false, adobe: undefined };
  let isInScan = false;
  for (let at = 2; ; ) {
    const found = findMarker(bytes, at);
    // Bytes between segments become fill bytes, because the decoder skips both.
    if (!isInScan) bytes.fill(0xff, at, found);
    const marker = bytes[found + 1] ?? 0;
    if (marker === endOfImage) return found + 2;
    at = found + 2;
    if (standsAlone(marker)) continue;
    if (marker === startOfImage || marker < 0xc0 || at + 2 > bytes.length) throw new FileFault('broken');
    const length = bytes.readUInt16BE(at);
    if (length < 2 || at + length > bytes.length) throw new FileFault('broken');
    correctSegment(marker, bytes.subarray(at + 2, at + length), header);
    isInScan = marker === startOfScan;
    at += length;
  }
}

// Finds FF followed by the code of a marker. In coded data, 00 follows every FF that does not begin a restart marker.
function findMarker(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff) return at;
  }
  throw new FileFault('broken');
}

function standsAlone(marker: number): boolean {
  return marker === 1 || (marker >= 0xd0 && marker <= 0xd7);
}

interface JpegHeader {
  isSequential: boolean;
  adobe: Buffer | undefined;
}

function correctSegment(marker: number, content: Buffer, header: JpegHeader): void {
  const name = content.toString('latin1', 0, 5);
  if (marker === jfif && name === 'JFIF\0' && content.length >= 14) content[5] = 1; // the major version
  if (marker === adobe && name === 'Adobe' && content.length >= 12) header.adobe = content;
  const isSequential = sequentialFrames.includes(marker);
  if (isSequential || progressiveFrames.includes(marker)) {
    header.isSequential = isSequential;
    // The decoder assumes one of two colour transforms: none, or the one for this number of components.
    if (header.adobe !== undefined && header.adobe[11] !== 0) header.adobe[11] = content[5] === 4 ? 2 : 1;
  }
  // Some phones write wrong spectral limits, which a sequential scan does not use.
  if (marker === startOfScan && header.isSequential && content.length >= 6) content.set([0, 63, 0], content.length - 3);
}
