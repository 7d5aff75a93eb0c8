import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readWhole } from './read-whole.ts';

const folder = mkdtempSync(join(tmpdir(), 'read-whole-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([0, 1, 512 * 1024 - 1, 512 * 1024, 512 * 1024 + 1, 3_000_000, 7])(
  'reads %i bytes and nothing of the file before',
  async (length) => {
    const path = join(folder, 'file');
    const bytes = randomBytes(length);
    writeFileSync(path, bytes);

    expect((await readWhole(path)).equals(bytes)).toBe(true);
  },
);

it('uses the same memory again', async () => {
  const path = join(folder, 'file');
  writeFileSync(path, randomBytes(3_000_000));
  const { buffer } = await readWhole(path);
  writeFileSync(path, randomBytes(1_000));

  expect((await readWhole(path)).buffer).toBe(buffer);
});
