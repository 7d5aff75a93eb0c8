import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../../testing/connect.ts';
import { openFilesFolder } from './files-folder.ts';

let folder: string;
let files: Awaited<ReturnType<typeof openFilesFolder>>;
beforeEach(async () => {
  const place = makeFolder();
  folder = join(place, 'files');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(place, 'secret.txt'), 'secret');
  mkdirSync(join(place, 'files-beside'));
  writeFileSync(join(place, 'files-beside', 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'sub', 'chart.png'), 'a chart');
  symlinkSync(join(place, 'secret.txt'), join(folder, 'link.txt'));
  symlinkSync(place, join(folder, 'out'));
  symlinkSync(join(folder, 'sub'), join(folder, 'inside'));
  files = await openFilesFolder(folder);
});

async function read(name: string): Promise<string> {
  const { content, close } = await files.open(name);
  const pieces: Buffer[] = [];
  for await (const piece of content()) pieces.push(Buffer.from(piece));
  await close();
  return Buffer.concat(pieces).toString();
}

it('reads files below the folder, through links that stay inside', async () => {
  expect(await read('sub/chart.png')).toBe('a chart');
  expect(await read('inside/chart.png')).toBe('a chart');
});

it.each([
  '../secret.txt',
  'sub/../../secret.txt',
  'link.txt',
  'out/secret.txt',
  'out/files-beside/secret.txt',
  '/etc/passwd',
  '',
  'a\0b',
])('refuses to read %j', async (name) => {
  await expect(files.open(name)).rejects.toMatchObject({ code: 'outside_files_folder' });
});

it.each(['../new.txt', 'out/new.txt', 'link.txt/new.txt', '/tmp/new.txt', '..'])(
  'refuses to write %j',
  async (name) => {
    await expect(files.create(name)).rejects.toMatchObject({ name: 'ToolFailure' });
  },
);

it('writes a new file, and replaces none', async () => {
  const target = await files.create('sub/new.txt');
  await target.write(Buffer.from('new'));
  await target.finish();

  expect(readFileSync(join(folder, 'sub', 'new.txt'), 'utf8')).toBe('new');
  for (const name of ['sub/new.txt', 'link.txt']) {
    await expect(files.create(name)).rejects.toMatchObject({ code: 'file_exists' });
  }
});

it('refuses what is no regular file', async () => {
  await expect(files.open('sub')).rejects.toMatchObject({ code: 'not_a_file' });
});
