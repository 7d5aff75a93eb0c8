import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { limits } from '@agent-platform/contract';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openFilesFolder } from './files-folder.ts';

const pdf = 'application/pdf';
let folder: string;
let files: Awaited<ReturnType<typeof openFilesFolder>>;
beforeEach(async () => {
  const place = makeTestFolder();
  folder = join(place, 'files');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  mkdirSync(join(folder, 'received', 'sub', '.git'), { recursive: true });
  writeFileSync(join(place, 'secret.txt'), 'secret');
  mkdirSync(join(place, 'files-beside'));
  writeFileSync(join(place, 'files-beside', 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'sub', 'chart.png'), 'a chart');
  for (const at of [folder, join(folder, 'received')]) {
    symlinkSync(join(place, 'secret.txt'), join(at, 'link.pdf'));
    symlinkSync(place, join(at, 'out'));
  }
  symlinkSync(join(folder, 'sub'), join(folder, 'inside'));
  files = await openFilesFolder(folder);
});

async function write(name: string): Promise<void> {
  const target = await files.create(name, pdf);
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

it('refuses a file that is too large before reading it', async () => {
  const path = join(folder, 'sub', 'large.png');
  writeFileSync(path, '');
  truncateSync(path, limits.fileMaxBytes + 1);

  await expect(read('sub/large.png')).rejects.toMatchObject({ code: 'file_too_large' });
});

it('reads files below the folder, through links that stay inside', async () => {
  expect(await read('sub/chart.png')).toBe('a chart');
  expect(await read('inside/chart.png')).toBe('a chart');
});

it.each([
  '../secret.txt',
  'sub/../../secret.txt',
  'link.pdf',
  'out/secret.txt',
  'out/files-beside/secret.txt',
  '/etc/passwd',
  '',
  'a\0b',
])('refuses to read %j', async (name) => {
  await expect(files.open(name)).rejects.toMatchObject({ code: 'outside_files_folder' });
});

it.each([
  '../new.pdf',
  'out/new.pdf',
  'link.pdf/new.pdf',
  '/tmp/new.pdf',
  '..',
  '.',
  '.npmrc',
  'sub/.git/x',
  'sub/\u200d.env',
])('refuses to write %j', async (name) => {
  await expect(files.create(name, pdf)).rejects.toMatchObject({ name: 'ToolFailure' });
});

it('writes a new file, and replaces none', async () => {
  await write('sub/new.sh');

  expect(readFileSync(join(folder, 'received', 'sub', 'new.sh.pdf'), 'utf8')).toBe('new');
  for (const name of ['sub/new.sh', './sub/new.sh.pdf', 'link.pdf']) {
    await expect(files.create(name, pdf)).rejects.toMatchObject({ code: 'file_exists' });
  }
});

it('creates the folder for files of others, and refuses a link in its place', async () => {
  const received = join(folder, 'received');
  rmSync(received, { recursive: true });
  await write('new.PDF');
  expect(readdirSync(received)).toEqual(['new.PDF']);
  rmSync(received, { recursive: true });
  symlinkSync(join(folder, 'sub'), received);

  await expect(files.create('new.pdf', pdf)).rejects.toMatchObject({ code: 'outside_files_folder' });
});

it('refuses anything except a regular file', async () => {
  execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: folder });
  const server = createServer().listen(join(folder, 'socket'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  await expect(files.open('sub')).rejects.toMatchObject({ code: 'not_a_file' });
  await expect(files.open('pipe')).rejects.toMatchObject({ code: 'not_a_file' });
  await expect(files.open('socket')).rejects.toMatchObject({ code: 'file_error' });
});

// On other systems a race remains; the threat model describes it.
it.runIf(process.platform === 'linux')(
  'neither creates nor reads a file in a folder that concurrently replaces one below it',
  async () => {
    const outside = join(folder, '..', 'files-beside');
    const received = join(folder, 'received');
    writeFileSync(join(received, 'sub', 'secret.txt'), 'inside');
    const swap = `const { renameSync, rmSync, symlinkSync } = require('node:fs');
    for (;;) {
      renameSync('sub', 'aside');
      symlinkSync('../../files-beside', 'sub');
      rmSync('sub');
      renameSync('aside', 'sub');
    }`;
    const swapping = spawn(process.execPath, ['-e', swap], { cwd: received });
    try {
      await vi.waitFor(() => lstatSync(join(received, 'aside')), { timeout: 120_000, interval: 1 });
      for (let index = 0; index < 3_000; index += 1) {
        const refused = (error: unknown) => expect(error).toMatchObject({ name: 'ToolFailure' });
        await write(`sub/${index}`).catch(refused);
        await read('received/sub/secret.txt').then((text) => expect(text).toBe('inside'), refused);
      }
    } finally {
      swapping.kill('SIGKILL');
      await once(swapping, 'exit');
    }

    expect(readdirSync(outside)).toEqual(['secret.txt']);
  },
);

it('refuses a folder that contains the keys of agents, or is beside them', async () => {
  const state = join(folder, 'sub');
  for (const place of [folder, state, join(folder, 'inside')]) {
    await expect(openFilesFolder(place, state)).rejects.toMatchObject({ code: 'unsafe_files_folder' });
  }
  mkdirSync(join(state, 'profiles'));
  await expect(openFilesFolder(join(state, 'profiles'), state)).rejects.toMatchObject({ code: 'unsafe_files_folder' });
  expect(await openFilesFolder(join(folder, 'out', 'files-beside'), state)).toMatchObject({});
});
