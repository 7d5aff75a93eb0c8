import { crc32, inflateSync } from 'node:zlib';

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

/** Whether this is a complete, unanimated PNG of at most `maxPixels`. */
export function isStillPng(file: Buffer, maxPixels: number): boolean {
  const chunks = chunksOf(file);
  const header = chunks?.find(({ type }) => type === 'IHDR')?.data;
  if (chunks === undefined || header?.length !== 13 || chunks.some(({ type }) => type === 'acTL')) return false;
  const [width, height, depth, kind, interlaced] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    ...header.subarray(8, 10),
    header[12],
  ];
  const samples = samplesOf[kind ?? 9];
  if (width * height === 0 || width * height > maxPixels || depth === undefined || samples === undefined) return false;
  const rowBytes = 1 + Math.ceil((width * samples * depth) / 8);
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  const rows = inflated(data, rowBytes * height * 2 + 1024);
  // The data size of interlaced pictures is not checked, because their rows have different lengths.
  return rows !== undefined && (interlaced !== 0 || rows.length >= rowBytes * height);
}

function inflated(data: Buffer, maxOutputLength: number): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength });
  } catch {
    return undefined;
  }
}
