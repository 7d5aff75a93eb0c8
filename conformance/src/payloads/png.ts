import { crc32, deflateSync } from 'node:zlib';
import type { Random } from '../world/random.ts';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/** One bit per pixel keeps the file small for any picture size. */
export function makePng(width = 24, height = 16): Buffer {
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 1 });
  return Buffer.concat([signature, header(width, height, 1, 0), chunk('IDAT', rows), end]);
}

/** Makes an animated PNG with two frames; every viewer can show the first one. */
export function makeAnimatedPng(): Buffer {
  const side = 8;
  const frame = (fill: number) => deflateSync(Buffer.alloc(2 * side, fill));
  return Buffer.concat([
    signature,
    header(side, side, 1, 0),
    chunk('acTL', numbers(2, 0)),
    chunk('fcTL', frameControl(0, side)),
    chunk('IDAT', frame(0)),
    chunk('fcTL', frameControl(1, side)),
    chunk('fdAT', Buffer.concat([numbers(2), frame(255)])),
    end,
  ]);
}

/** Makes a PNG with exactly this many bytes, at least half a MiB: noise and a padding chunk. */
export function makePngWithSize(random: Random, bytes: number): Buffer {
  const width = 2000;
  const height = Math.floor((bytes - 65_536) / (width * 3 + 1) / 1.001);
  const rows = random.bytes((width * 3 + 1) * height);
  for (let row = 0; row < height; row += 1) rows[row * (width * 3 + 1)] = 0;
  const picture = Buffer.concat([header(width, height, 8, 2), chunk('IDAT', deflateSync(rows, { level: 0 }))]);
  const filling = bytes - signature.length - picture.length - end.length - 12;
  return Buffer.concat([signature, picture, chunk('prVt', Buffer.alloc(filling)), end]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function header(width: number, height: number, bits: number, colours: number): Buffer {
  return chunk('IHDR', Buffer.concat([numbers(width, height), Buffer.from([bits, colours, 0, 0, 0])]));
}

// A frame control chunk: sequence number, size, position, and a delay of a tenth of a second.
function frameControl(sequence: number, side: number): Buffer {
  return Buffer.concat([numbers(sequence, side, side, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]);
}

const end = chunk('IEND', Buffer.alloc(0));
