import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { writeAll, writeInBlocks } from './write-in-blocks.ts';

const folder = mkdtempSync(join(tmpdir(), 'write-in-blocks-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
function newPath(): string {
  made += 1;
  return join(folder, String(made));
}

function cut(bytes: Buffer, chunkBytes: number): readonly Buffer[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}

const kibibyte = 1024;

it.each([
  { bytes: 0, chunkBytes: 1 },
  { bytes: 1, chunkBytes: 1 },
  { bytes: 5_000, chunkBytes: 1 },
  { bytes: 512 * kibibyte - 1, chunkBytes: 64 * kibibyte },
  { bytes: 512 * kibibyte, chunkBytes: 64 * kibibyte },
  { bytes: 512 * kibibyte + 1, chunkBytes: 64 * kibibyte },
  { bytes: 5_000_000, chunkBytes: 65_521 },
  { bytes: 5_000_000, chunkBytes: 3_000_000 },
])('writes $bytes bytes that come in chunks of $chunkBytes', async ({ bytes, chunkBytes }) => {
  const path = newPath();
  const sent = randomBytes(bytes);

  await writeInBlocks(Readable.from(cut(sent, chunkBytes)), path);

  expect(readFileSync(path).equals(sent)).toBe(true);
});

it('writes what comes slowly', async () => {
  const path = newPath();
  const sent = randomBytes(1_500_000);
  const stream = new PassThrough();
  const written = writeInBlocks(stream, path);
  for (const chunk of cut(sent, 100_000)) {
    stream.write(chunk);
    await wait(2);
  }
  stream.end();
  await written;

  expect(readFileSync(path).equals(sent)).toBe(true);
});

it('holds no great many small chunks until there is a block of them', async () => {
  const path = newPath();
  const stream = new PassThrough();
  const written = writeInBlocks(stream, path);
  for (let count = 0; count < 100_000; count += 1) stream.write(Buffer.alloc(1));

  await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(98_000), 30_000);

  stream.end();
  await written;
  expect(statSync(path).size).toBe(100_000);
});

it.each([0, 1, 99, 100, 101, 250, 299])('writes the rest when the system takes %i bytes at first', async (taken) => {
  const chunks = cut(randomBytes(300), 100);
  const took: Buffer[] = [];
  const take = (bytes: Uint8Array, atMost: number) => {
    const part = Buffer.from(bytes.subarray(0, atMost));
    took.push(part);
    return { bytesWritten: part.length };
  };
  const file = {
    writev: async (given: readonly Buffer[]) => take(Buffer.concat(given), taken),
    write: async (given: Buffer) => take(given, 70),
  };

  await writeAll(file as unknown as FileHandle, chunks);

  expect(Buffer.concat(took).equals(Buffer.concat(chunks))).toBe(true);
});

it('lets whoever sends wait while much waits to be written', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const written = writeInBlocks(stream, newPath());
  let isRefused = false;
  for (let count = 0; count < 40 && !isRefused; count += 1) isRefused = !stream.write(Buffer.alloc(64 * kibibyte));
  expect(isRefused).toBe(true);

  await once(stream, 'drain');
  stream.end();
  await written;
});

it('fails, and lets the rest flow, when the file cannot be written', async () => {
  const path = newPath();
  writeFileSync(path, 'taken');
  const stream = Readable.from(cut(Buffer.alloc(10_000_000), 64 * kibibyte));
  const ended = once(stream, 'end');

  await expect(writeInBlocks(stream, path)).rejects.toThrow('EEXIST');

  await ended;
  expect(readFileSync(path, 'utf8')).toBe('taken');
});

it('fails when the stream is closed before its end', async () => {
  const path = newPath();
  const stream = new PassThrough();
  const written = writeInBlocks(stream, path);
  stream.write(Buffer.alloc(600 * kibibyte));
  await wait(20);
  stream.destroy();

  await expect(written).rejects.toThrow('closed before its end');
  expect(existsSync(path)).toBe(true);
});

it('fails with the failure of the stream', async () => {
  const stream = new PassThrough();
  const written = writeInBlocks(stream, newPath());
  stream.destroy(new Error('torn'));

  await expect(written).rejects.toThrow('torn');
});
