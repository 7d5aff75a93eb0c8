import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { readWholeFile } from './read-whole.ts';

const folder = makeTestFolder();

it.each([0, 1, 512 * 1024 - 1, 512 * 1024, 512 * 1024 + 1, 3_000_000, 7])(
  'reads %i bytes and nothing of the file before',
  async (length) => {
    const path = join(folder, 'file');
    const bytes = randomBytes(length);
    writeFileSync(path, bytes);

    expect((await readWholeFile(path)).equals(bytes)).toBe(true);
  },
);

it('uses the same memory again', async () => {
  const path = join(folder, 'file');
  writeFileSync(path, randomBytes(3_000_000));
  const { buffer } = await readWholeFile(path);
  writeFileSync(path, randomBytes(1_000));

  expect((await readWholeFile(path)).buffer).toBe(buffer);
});

it('keeps calls apart that overlap', async () => {
  const files = [1, 2, 3].map((value) => ({
    path: join(folder, String(value)),
    bytes: Buffer.alloc(2_000_000, value),
  }));
  for (const { path, bytes } of files) writeFileSync(path, bytes);

  const read = await Promise.all(files.map(({ path }) => readWholeFile(path)));

  expect(read.map((bytes, index) => bytes.equals(files[index]?.bytes ?? Buffer.alloc(0)))).toEqual([true, true, true]);
});
