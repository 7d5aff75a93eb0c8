import { type FileHandle, open } from 'node:fs/promises';

let room: Buffer = Buffer.alloc(0);

/**
 * The result is only valid until the next call, because the buffer is reused: allocating new memory takes longer than
 * reading the file.
 */
export async function readWholeFile(path: string): Promise<Buffer> {
  const kept = room;
  // Calls that begin before this one ends, or after it failed, must not share its buffer.
  room = Buffer.alloc(0);
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = kept.length < size ? Buffer.allocUnsafeSlow(size) : kept;
    const filled = await fill(file, bytes.subarray(0, size));
    room = bytes;
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
}

async function fill(file: FileHandle, bytes: Buffer): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
