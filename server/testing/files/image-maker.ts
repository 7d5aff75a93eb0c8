import { crc32, deflateSync } from 'node:zlib';

export function makePngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Makes a grey PNG with a small file size; the chunks in `more` precede the pixels. */
export function makePng(width: number, height: number, more: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((width + 1) * height, 0), { level: 1 });
  return Buffer.concat([
    signature,
    makePngChunk('IHDR', header),
    ...more,
    makePngChunk('IDAT', rows),
    makePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Makes an animated PNG with two frames, which decoders without support for animation read as a still image. */
export function makeAnimatedPng(): Buffer {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2, 0);
  return makePng(4, 4, [makePngChunk('acTL', control)]);
}

/** The smallest GIF; the server does not support this type. */
export const gif = Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64');

/** A WebP of one pixel. */
export const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA=', 'base64');

/** Contains a script. */
export const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

/** The first bytes of a TIFF. */
export const tiff = Buffer.from('49492a0008000000000000000000', 'hex');

/** The first bytes of a HEIC file. */
export const heic = Buffer.from('00000018667479706865696300000000686569636d696631', 'hex');
