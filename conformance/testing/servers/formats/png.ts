import { crc32, inflateSync } from 'node:zlib';
import type { Size } from './jpeg.ts';

/** A still PNG whose chunks and picture data are whole. */
export interface Png extends Size {
  /** The grey value at a pixel; for rare kinds of PNG that are not decoded here it is the same everywhere. */
  readonly greyAt: (x: number, y: number) => number;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function chunksOf(file: Buffer): { type: string; data: Buffer }[] | undefined {
  if (!file.subarray(0, 8).equals(signature)) return undefined;
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) return undefined;
    const type = file.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: file.subarray(at + 8, end) });
    if (type === 'IEND') return chunks;
    at = end + 4;
  }
  return undefined;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function unfilter(rows: Buffer, height: number, stride: number, step: number): void {
  for (let row = 0; row < height; row += 1) {
    const start = row * (stride + 1) + 1;
    const filter = rows[start - 1];
    for (let index = 0; index < stride; index += 1) {
      const left = index >= step ? (rows[start + index - step] ?? 0) : 0;
      const up = row > 0 ? (rows[start + index - stride - 1] ?? 0) : 0;
      const corner = row > 0 && index >= step ? (rows[start + index - stride - 1 - step] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      rows[start + index] = (rows[start + index] ?? 0) + guess;
    }
  }
}

/** Reads a PNG; undefined for what is broken, moves, or has more than `maxPixels`. */
export function readPng(file: Buffer, maxPixels: number): Png | undefined {
  const chunks = chunksOf(file);
  const header = chunks?.find(({ type }) => type === 'IHDR')?.data;
  if (chunks === undefined || header?.length !== 13 || chunks.some(({ type }) => type === 'acTL')) return undefined;
  const [width, height, depth, kind, interlaced] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    ...header.subarray(8, 10),
    header[12],
  ];
  const samples = samplesOf[kind ?? 9];
  if (width * height === 0 || width * height > maxPixels || depth === undefined || samples === undefined)
    return undefined;
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  const stride = Math.ceil((width * samples * depth) / 8);
  const rows = inflated(data, (stride + 1) * height * 2 + 1024);
  if (rows === undefined) return undefined;
  if (depth !== 8 || kind === 3 || interlaced !== 0) return { width, height, greyAt: () => 160 };
  if (rows.length < (stride + 1) * height) return undefined;
  unfilter(rows, height, stride, samples);
  const greyAt = (x: number, y: number) => {
    const at = y * (stride + 1) + 1 + x * samples;
    const value = (offset: number) => rows[at + offset] ?? 0;
    return samples < 3 ? value(0) : (value(0) * 3 + value(1) * 6 + value(2)) / 10;
  };
  return { width, height, greyAt };
}

function inflated(data: Buffer, maxOutputLength: number): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength });
  } catch {
    return undefined;
  }
}
