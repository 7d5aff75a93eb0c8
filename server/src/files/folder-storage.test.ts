import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { makeFolderStorage } from './folder-storage.ts';

it('does not follow a link that another user has put into the folder', async () => {
  const root = makeTestFolder();
  const precious = join(root, 'precious');
  writeFileSync(precious, 'of the same user');
  for (const name of ['.probe', 'storage-id.new']) symlinkSync(precious, join(root, name));

  const storage = makeFolderStorage(root);
  await storage.probe();
  await storage.writeId('one');

  expect(await storage.readId()).toBe('one');
  expect(readFileSync(precious, 'utf8')).toBe('of the same user');
});

it('is tried by many processes in parallel', async () => {
  const root = makeTestFolder();
  await Promise.all(Array.from({ length: 20 }, () => makeFolderStorage(root).probe()));
  expect(readdirSync(root)).toEqual([]);
});

it('is not writable while its disk is nearly full', async () => {
  const folder = makeTestFolder();
  await makeFolderStorage(folder).check();
  await expect(makeFolderStorage(folder, Number.POSITIVE_INFINITY).check()).rejects.toThrow(/^The disk of .* is full/);
});
