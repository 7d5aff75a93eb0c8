/** Reads and writes the few parts of JPEG that a small server needs. No pixel of a JPEG is decoded here. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Segment {
  readonly marker: number;
  readonly bytes: Buffer;
}

/** The segments before the picture data, and everything from there; undefined for what is not a whole JPEG. */
function splitJpeg(file: Buffer): { segments: Segment[]; picture: Buffer } | undefined {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined;
  const segments: Segment[] = [];
  let at = 2;
  while (at + 4 <= file.length) {
    if (file[at] !== 0xff) return undefined;
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) return undefined;
    if (marker === 0xda) return { segments, picture: file.subarray(at) };
    segments.push({ marker, bytes: file.subarray(at, end) });
    at = end;
  }
  return undefined;
}

const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** The size of a JPEG that has a frame, picture data and an end; otherwise undefined. */
export function jpegSize(file: Buffer): Size | undefined {
  const parts = splitJpeg(file);
  const frame = parts?.segments.find(({ marker }) => isFrameHeader(marker))?.bytes;
  if (parts === undefined || frame === undefined || frame.length < 9) return undefined;
  if (parts.picture.lastIndexOf(Buffer.from([0xff, 0xd9])) < 8) return undefined;
  const size = { height: frame.readUInt16BE(5), width: frame.readUInt16BE(7) };
  return size.width > 0 && size.height > 0 ? size : undefined;
}

/** The same picture without EXIF, comments and other application data. */
export function withoutMetadata(file: Buffer): Buffer {
  const parts = splitJpeg(file);
  if (parts === undefined) throw new Error('not a JPEG');
  const kept = parts.segments.filter(({ marker }) => marker === 0xee || !(marker >= 0xe0 && marker <= 0xfe));
  const end = parts.picture.lastIndexOf(Buffer.from([0xff, 0xd9])) + 2;
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...kept.map(({ bytes }) => bytes), parts.picture.subarray(0, end)]);
}

function segment(marker: number, ...bytes: number[]): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(bytes.length + 2, 2);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

/** A grey JPEG of one value for each block of 8 by 8; `greyOf` gets the column and row of a block. */
export function mosaicJpeg({ width, height }: Size, greyOf: (column: number, row: number) => number): Buffer {
  const bytes: number[] = [];
  let bits = '';
  const write = (more: string) => {
    bits += more;
    for (; bits.length >= 8; bits = bits.slice(8)) {
      const byte = Number.parseInt(bits.slice(0, 8), 2);
      bytes.push(byte);
      if (byte === 0xff) bytes.push(0);
    }
  };
  let last = 0;
  for (let row = 0; row < Math.ceil(height / 8); row += 1) {
    for (let column = 0; column < Math.ceil(width / 8); column += 1) {
      const value = Math.round(greyOf(column, row)) - 128;
      const change = value - last;
      last = value;
      const length = change === 0 ? 0 : Math.abs(change).toString(2).length;
      // Every category has a code of four bits; then its bits, then the end of the block.
      write(length.toString(2).padStart(4, '0'));
      if (length > 0) write((change > 0 ? change : change + 2 ** length - 1).toString(2).padStart(length, '0'));
      write('0');
    }
  }
  if (bits !== '') write('1'.repeat(8 - bits.length));
  const counts = (...lengths: number[]) => [...lengths, ...Array.from({ length: 16 - lengths.length }, () => 0)];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array.from({ length: 64 }, () => 8)),
    segment(0xc0, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0),
    segment(0xc4, 0x00, ...counts(0, 0, 0, 12), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
    segment(0xc4, 0x10, ...counts(1), 0),
    segment(0xda, 1, 1, 0x00, 0, 63, 0),
    Buffer.from(bytes),
    Buffer.from([0xff, 0xd9]),
  ]);
}
