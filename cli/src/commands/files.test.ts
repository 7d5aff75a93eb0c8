import { once } from 'node:events';
import { lstat, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Machine, setUpMachine, startReferenceServer } from '../../testing/agentp.ts';

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let machine: Machine;
let picture: string;
let document: string;

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = [
  '%PDF-1.4',
  '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
  '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
  '3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >> endobj',
  'trailer << /Root 1 0 R >>',
].join('\n');

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  picture = join(machine.home, 'chart.png');
  document = join(machine.home, 'notes.pdf');
  await writeFile(picture, Buffer.from(png, 'base64'));
  await writeFile(document, pdf);
  await machine.data(['register', '--handle', 'alice', '--display-name', 'Alice']);
  await machine.data(['register', '--handle', 'bob_1', '--display-name', 'Bob']);
});
afterAll(() => server.stop());

const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob_1'];

const anonymously = async (path: unknown) => {
  const answer = await fetch(`${server.url}${String(path)}`);
  await answer.body?.cancel();
  return answer.status;
};

it('manages a profile with an avatar and a portfolio post with files', async () => {
  const update = ['me', 'update', '--public', '--avatar', picture, ...asAlice];
  expect(await machine.error(update)).toMatchObject({ exitCode: 2 });
  const me = await machine.data([...update, '--rights-confirmed', '--fields', 'visuals']);
  expect(me).toMatchObject({ visuals: { avatar: { purpose: 'avatar', media_type: 'image/jpeg' }, character: null } });

  const words = ['Charting the kelp forest.', '--kind', 'portfolio', '--public', '--rights-confirmed'];
  const files = ['--attach', picture, '--attach', picture, '--attach', document];
  const post = await machine.data(['posts', 'create', ...words, ...files, ...asAlice]);
  expect(post['attachments']).toMatchObject([{ filename: 'chart.png' }, {}, { page_count: 1 }]);
  const found = await machine.data(['bots', 'list', '--search', 'kelp', ...asBob]);
  expect(found).toMatchObject({ bots: [{ handle: 'alice', visuals: { avatar: { width: 1 } } }] });

  const attached: unknown = post['attachments'];
  const shown = Array.isArray(attached) ? attached.map((file) => file.preview_url) : [];
  const avatar = Reflect.get(Reflect.get(Object(me['visuals']), 'avatar'), 'preview_url');
  const paths = [...shown, avatar];
  expect(paths).toHaveLength(4);
  for (const path of paths) expect(await anonymously(path)).toBe(200);
  await machine.data(['me', 'update', '--private', ...asAlice]);
  for (const path of paths) expect(await anonymously(path)).toBe(404);
  expect(await machine.data(['me', 'update', '--remove-avatar', ...asAlice])).toMatchObject({
    visuals: { avatar: null },
  });
});

it('uploads, shows and saves a file, with a progress bar on a terminal only', async () => {
  const file = await machine.data(['files', 'upload', document, '--purpose', 'order', ...asAlice]);
  expect(file).toMatchObject({ filename: 'notes.pdf', page_count: 1, available: true });
  const id = String(file['id']);
  expect(await machine.data(['files', 'show', id, ...asAlice])).toEqual(file);
  expect(await machine.error(['files', 'show', id, ...asBob])).toMatchObject({ code: 'not_found', exitCode: 4 });

  const target = join(machine.home, 'saved.pdf');
  expect(await machine.data(['files', 'download', id, '--to', target, ...asAlice])).toMatchObject({
    path: target,
    size_bytes: pdf.length,
  });
  expect(await readFile(target, 'utf8')).toBe(pdf);
  expect(await machine.error(['files', 'download', id, '--to', target, ...asAlice])).toMatchObject({
    code: 'file_exists',
    exitCode: 5,
  });
  const again = ['files', 'download', id, '--preview', '--replace', '--to', target, ...asAlice];
  const outcome = await machine.runOnTerminal(again);
  expect(outcome.stdout).toMatch(/^Saved [\d.]+ (B|KiB) to .*saved\.pdf\n$/);
  expect(outcome.stderr).toContain('100 % of');
  expect(outcome.stderr.endsWith('\r\u001b[K')).toBe(true);
  expect((await readFile(target)).subarray(0, 2).toString('hex')).toBe('ffd8');
  expect((await readdir(machine.home)).filter((name) => name.endsWith('.part'))).toEqual([]);

  const uploaded = await machine.runOnTerminal(['files', 'upload', picture, '--purpose', 'order', ...asAlice]);
  expect(uploaded.stdout).toMatch(/^chart\.png\n {2}id /);
  expect(uploaded.stderr).toContain('░');
  expect(uploaded.stderr).toContain('█ checking  chart.png\r');
});

it('names a file after its type, whatever name it was sent with', async () => {
  const sent = ['files', 'upload', document, '--purpose', 'order', '--filename', '.invoice.sh', ...asAlice];
  const { id } = await machine.data(sent);
  const saved = await machine.data(['files', 'download', String(id), ...asAlice]);
  onTestFinished(() => rm(String(saved['path']), { force: true }));

  expect(basename(String(saved['path']))).toBe('invoice.sh.pdf');
});

it('replaces a file or a link only with --replace, and nothing else', async () => {
  const { id } = await machine.data(['files', 'upload', picture, '--purpose', 'order', ...asAlice]);
  const [link, socket] = [join(machine.home, 'link.png'), join(machine.home, 'socket')];
  await symlink(join(machine.home, 'nowhere'), link);
  const listening = createServer().listen(socket);
  await once(listening, 'listening');
  const save = ['files', 'download', String(id), ...asAlice, '--to'];

  expect(await machine.error([...save, link])).toMatchObject({
    exitCode: 5,
    hint: expect.stringContaining('--replace'),
  });
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  await machine.data([...save, link, '--replace']);
  expect((await lstat(link)).isFile()).toBe(true);
  for (const target of [socket, machine.home])
    expect(await machine.error([...save, target, '--replace'])).toMatchObject({
      message: `${JSON.stringify(target)} is not a file.`,
      exitCode: 2,
    });
  expect((await lstat(socket)).isSocket()).toBe(true);
  listening.close();
});

it('stores a repeated upload once, and reports errors of a file', async () => {
  const uploadId = crypto.randomUUID();
  const words = ['files', 'upload', picture, '--purpose', 'order', '--upload-id', uploadId, ...asAlice];
  const first = await machine.data(words);

  expect(await machine.data(words)).toEqual(first);
  const text = join(machine.home, 'text.png');
  await writeFile(text, 'hello');
  const refused = ['files', 'upload', text, '--purpose', 'order', ...asAlice];
  expect(await machine.error(refused)).toMatchObject({ code: 'invalid_file', exitCode: 6 });
  const missing = ['files', 'upload', join(machine.home, 'none.png'), '--purpose', 'order', ...asAlice];
  expect(await machine.error(missing)).toMatchObject({ exitCode: 2 });
  expect(await machine.error(['files', 'upload', picture, '--purpose', 'cover', ...asAlice])).toMatchObject({
    exitCode: 2,
  });
});

it('names the uploaded files when a post is rejected', async () => {
  const words = ['posts', 'create', 'x', '--kind', 'portfolio', '--public', '--attach', picture, ...asBob];
  const error = await machine.error(words);
  const [, id = ''] = /--attachment ([0-9a-f-]{36})/.exec(String(error['hint'])) ?? [];

  expect(error['code']).toBe('invalid_visibility');
  expect(await machine.data(['posts', 'create', 'x', '--attachment', id, ...asBob])).toMatchObject({
    attachments: [{ id }],
  });
});
