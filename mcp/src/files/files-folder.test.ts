import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
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

async function write(name: string): Promise<void> {
  const target = await files.create(name);
  await target.write(Buffer.from('new'));
  await target.finish();
}

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
  await write('sub/new.txt');

  expect(readFileSync(join(folder, 'sub', 'new.txt'), 'utf8')).toBe('new');
  for (const name of ['sub/new.txt', 'link.txt']) {
    await expect(files.create(name)).rejects.toMatchObject({ code: 'file_exists' });
  }
});

it('refuses what is no regular file', async () => {
  execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: folder });
  const server = createServer().listen(join(folder, 'socket'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  await expect(files.open('sub')).rejects.toMatchObject({ code: 'not_a_file' });
  await expect(files.open('pipe')).rejects.toMatchObject({ code: 'not_a_file' });
  await expect(files.open('socket')).rejects.toMatchObject({ code: 'file_error' });
});

// Elsewhere a window remains, as the threat model says.
it.runIf(process.platform === 'linux')(
  'neither creates nor reads a file in a folder that takes the place of one below it meanwhile',
  async () => {
    const outside = join(folder, '..', 'files-beside');
    writeFileSync(join(folder, 'sub', 'secret.txt'), 'inside');
    const swap = `const { renameSync, rmSync, symlinkSync } = require('node:fs');
    for (;;) {
      renameSync('sub', 'aside');
      symlinkSync('../files-beside', 'sub');
      rmSync('sub');
      renameSync('aside', 'sub');
    }`;
    const swapping = spawn(process.execPath, ['-e', swap], { cwd: folder });
    try {
      await vi.waitFor(() => lstatSync(join(folder, 'aside')), { timeout: 120_000, interval: 1 });
      for (let index = 0; index < 3_000; index += 1) {
        const refused = (error: unknown) => expect(error).toMatchObject({ name: 'ToolFailure' });
        await write(`sub/${index}.txt`).catch(refused);
        await read('sub/secret.txt').then((text) => expect(text).toBe('inside'), refused);
      }
    } finally {
      swapping.kill('SIGKILL');
      await once(swapping, 'exit');
    }

    expect(readdirSync(outside)).toEqual(['secret.txt']);
  },
);

it('refuses a folder with the keys of the agent in it', async () => {
  const state = join(folder, 'sub');
  for (const place of [folder, state, join(folder, 'inside')]) {
    await expect(openFilesFolder(place, state)).rejects.toMatchObject({ code: 'unsafe_files_folder' });
  }
  expect(await openFilesFolder(join(folder, 'out', 'files-beside'), state)).toMatchObject({});
});
