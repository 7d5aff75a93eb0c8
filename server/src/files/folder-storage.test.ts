import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { folderStorage } from './folder-storage.ts';

it('writes through no link that somebody has laid into the folder', async () => {
  const root = mkdtempSync(join(tmpdir(), 'storage-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const precious = join(root, 'precious');
  writeFileSync(precious, 'of the same user');
  for (const name of ['.probe', 'storage-id.new']) symlinkSync(precious, join(root, name));

  const storage = folderStorage(root);
  await storage.probe();
  await storage.writeId('one');

  expect(await storage.readId()).toBe('one');
  expect(readFileSync(precious, 'utf8')).toBe('of the same user');
});

it('is tried by many processes at once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'storage-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await Promise.all(Array.from({ length: 20 }, () => folderStorage(root).probe()));
  expect(readdirSync(root)).toEqual([]);
});

it('is not writable while its disk is nearly full', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'));
  await folderStorage(folder).check();
  await expect(folderStorage(folder, Number.POSITIVE_INFINITY).check()).rejects.toThrow(/^The disk of .* is full/);
  rmSync(folder, { recursive: true });
});
