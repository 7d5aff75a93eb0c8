import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePng, makePngChunk } from '../../../testing/files/image-maker.ts';
import { type Installation, type Instance, makeInstallation, register } from '../../../testing/installation.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { captureLog, day } from '../../../testing/test-server.ts';
import { makeFolderStorage } from '../../files/folder-storage.ts';
import type { FileStorage } from '../../files/storage.ts';
import { newId, sha256 } from '../../platform/crypto.ts';
import { checkUnreadFiles } from './check-rounds-commands.ts';
import { VerifiedFileReader } from './verify-files-queries.ts';

const large = makePng(8, 8, [makePngChunk('ruSt', randomBytes(700_000))]);
const small = makePng(8, 8);
let installation: Installation;
let server: Instance;
let token: string;
beforeAll(async () => {
  installation = makeInstallation();
  server = await installation.start();
  ({ token } = await register(server.url, 'alice'));
});
afterAll(() => installation.stop());

async function upload(file: Uint8Array): Promise<string> {
  const answer = await uploadFile(server.url, token, { file, uploadId: randomUUID() });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return String(answer.body['attachment']?.['id']);
}

const pathOf = (id: string, kind = 'original') => join(installation.dataDir, 'files', id.slice(-2), `${id}.${kind}`);

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 255;
  writeFileSync(path, bytes);
}

/** Returns the status, and the number of received bytes or `cut` if the connection ended early. */
async function get(id: string, options: { what?: string; range?: string; method?: string } = {}) {
  const { what = 'download', range, method = 'GET' } = options;
  const headers = { authorization: `Bearer ${token}`, ...(range === undefined ? {} : { range }) };
  const answer = await fetch(`${server.url}/api/v1/attachments/${id}/${what}`, { method, headers });
  const end = await answer.arrayBuffer().then(
    (bytes) => bytes.byteLength,
    () => 'cut',
  );
  return answer.status === 503 ? 503 : [answer.status, end];
}

const linesOf = (key: string) =>
  server
    .logged()
    .split('\n')
    .filter((line) => line.includes('a stored file is') && line.includes(key));

it('a damaged file is never delivered complete, and is logged once', async () => {
  for (const file of [small, large]) {
    const id = await upload(file);
    expect(await get(id)).toEqual([200, file.length]);
    flip(pathOf(id), 50);
    expect(await get(id)).toEqual(file === small ? 503 : [200, 'cut']);
    for (const method of ['GET', 'HEAD']) expect(await get(id, { method })).toBe(503);
    expect(await get(id, { range: 'bytes=0-9' })).toBe(503);
    expect(linesOf(id)).toEqual([expect.stringMatching(/"level":50.*"attachment_id":.*"reason":"has the SHA-256/)]);
    flip(pathOf(id), 50);
    expect(await get(id)).toEqual([200, file.length]);
    expect(linesOf(id)[1]).toContain('a stored file is intact again');
  }
});

it('a truncated or missing file or preview returns 503 before any of its bytes are sent', async () => {
  for (const what of ['download', 'preview']) {
    const id = await upload(large);
    const path = pathOf(id, what === 'download' ? 'original' : 'preview');
    const whole = readFileSync(path);
    truncateSync(path, 100);
    for (const method of ['GET', 'HEAD']) expect(await get(id, { what, method })).toBe(503);
    expect(await get(id, { what, range: 'bytes=0-9' })).toBe(503);
    rmSync(path);
    for (const method of ['GET', 'HEAD', 'GET']) expect(await get(id, { what, method })).toBe(503);
    const [truncated, missing, ...more] = linesOf(id);
    expect([truncated, missing, more]).toEqual([
      expect.stringContaining(`has 100 bytes instead of ${whole.length}`),
      expect.stringContaining('a stored file is missing'),
      [],
    ]);
    writeFileSync(path, whole);
    expect(await get(id, { what })).toEqual([200, whole.length]);
  }
});

it('a range of a changed file is served only after the file was read completely', async () => {
  const id = await upload(large);
  expect(await get(id, { range: 'bytes=5-14' })).toEqual([206, 10]);
  flip(pathOf(id), large.length - 20);
  expect(await get(id, { range: 'bytes=5-14' })).toBe(503);
  flip(pathOf(id), large.length - 20);
  expect(await get(id, { range: 'bytes=-10' })).toEqual([206, 10]);
});

it('concurrent range requests share one read of the whole file', async () => {
  const folder = makeTestFolder();
  const storage = makeFolderStorage(folder);
  const key = `${newId()}.original`;
  writeFileSync(join(folder, 'incoming'), large);
  await storage.put(key, join(folder, 'incoming'));
  let readings = 0;
  const counting: FileStorage = {
    ...storage,
    open: (name, range) => {
      if (range === undefined) readings += 1;
      return storage.open(name, range);
    },
  };
  const files = new VerifiedFileReader(counting, async () => undefined);
  const file = { key, bytes: large.length, sha256: sha256(large), fault: null };
  const parts = await Promise.all([0, 1, 2].map((start) => files.openPart(file, { start, end: start + 9 })));
  for (const part of parts) expect((await buffer(part)).length).toBe(10);
  expect(readings).toBe(1);
});

it('a file that grows while it is read is never delivered complete', async () => {
  const key = `${newId()}.original`;
  const opened = () => Readable.from([large, Buffer.from('more')]);
  const storage = { open: async () => ({ stream: opened(), bytes: large.length, version: '1' }) };
  const files = new VerifiedFileReader({ ...makeFolderStorage('/nowhere'), ...storage }, async () => undefined);

  const stream = await files.openWhole({ key, bytes: large.length, sha256: sha256(large), fault: null });

  const sent: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => sent.push(chunk));
  await expect(finished(stream)).rejects.toThrow('changed while it was being read');
  expect(sent).toEqual([]);
});

it('files that have not been read for 30 days are read, by one instance per minute', async () => {
  const id = await upload(small);
  flip(pathOf(id), 50);
  const { log, logged } = captureLog('info');
  const storage = makeFolderStorage(join(installation.dataDir, 'files'));
  const check = (days: number) =>
    checkUnreadFiles({ store: server.store, storage, log }, new Date(Date.now() + days * day), () => false);
  await check(29);
  expect(logged()).toBe('');
  await server.store.transact((writer) =>
    sql`insert into platform_facts (name, value) values ('file-check', ${new Date(Date.now() + 31 * day - 10_000).toISOString()})`.execute(
      writer,
    ),
  );
  await check(31);
  expect(logged()).toBe('');
  await check(32);
  expect(logged()).toContain(`"key":"${id}.original"`);
  const lines = logged();
  // A recently read file is not read again, unless its date is from a wrong clock.
  flip(pathOf(id), 50);
  await check(33);
  expect(logged()).toBe(lines);
  await server.store.transact((writer) =>
    sql`update attachments set verified_at = now() + interval '100 days' where id = ${id}`.execute(writer),
  );
  await check(34);
  expect(logged()).toContain('a stored file is intact again');
  expect(await get(id)).toEqual([200, small.length]);
});

it('operators find every damaged file, restore it from a backup, and keep its copy until then', async () => {
  const [flipped, missing, lost] = [await upload(small), await upload(large), await upload(large)];
  await installation.operator('backup', 'create');
  const repository = join(installation.dataDir, 'backups');
  const others = await upload(makePng(9, 9));
  flip(pathOf(flipped), 50);
  rmSync(pathOf(missing));
  flip(pathOf(lost, 'preview'), 50);
  flip(pathOf(others), 50);
  const verified = await installation.operator('storage', 'verify', '--json');
  expect([verified.exitCode, verified.json()]).toEqual([1, expect.objectContaining({ right: false })]);
  const keys = [`${flipped}.original`, `${missing}.original`, `${lost}.preview`, `${others}.original`];
  expect((verified.json() as { damaged: { key: string }[] }).damaged.map(({ key }) => key)).toEqual(
    expect.arrayContaining(keys),
  );
  expect((await installation.operator('doctor')).out).toMatch(/^fail +damaged files .* 3 file\(s\)/m);

  // The first backup is deleted, but pruning keeps copies of files that are still needed.
  for (const name of readdirSync(repository))
    if (name.startsWith('000001')) rmSync(join(repository, name), { recursive: true });
  expect((await installation.operator('backup', 'prune')).exitCode).toBe(0);
  const repaired = await installation.operator('storage', 'repair', '--json');
  expect([repaired.exitCode, repaired.json()]).toEqual([
    1,
    { shelf: repository, restored: expect.arrayContaining(keys.slice(0, 3)), lost: [`${others}.original`] },
  ]);
  expect(await get(flipped)).toEqual([200, small.length]);
  expect(await get(missing)).toEqual([200, large.length]);
  flip(pathOf(others), 50);
  expect((await installation.operator('storage', 'repair')).exitCode).toBe(0);
  expect((await installation.operator('storage', 'verify')).out).toContain('all intact');
  // When all files are intact, pruning removes the copies that no backup needs.
  const pruned = await installation.operator('backup', 'prune', '--json');
  expect((pruned.json() as { removed_files: number }).removed_files).toBeGreaterThan(0);
});

it('an unreadable file returns 503, is listed, and stops neither other files nor a backup', async () => {
  const [only, flipped] = [makePng(7, 7), await upload(small)];
  const looping = await upload(only);
  rmSync(pathOf(looping));
  symlinkSync(pathOf(looping), pathOf(looping));
  flip(pathOf(flipped), 50);
  expect(await get(looping)).toBe(503);
  const { damaged } = (await installation.operator('storage', 'verify', '--json')).json() as { damaged: object[] };
  const cannotBeRead = { key: `${looping}.original`, fault: 'damaged', reason: 'cannot be read (ELOOP)' };
  expect(damaged).toEqual(
    expect.arrayContaining([cannotBeRead, expect.objectContaining({ key: `${flipped}.original` })]),
  );
  expect((await installation.operator('backup', 'create', '--json')).json()).toMatchObject({
    lost: expect.arrayContaining([`${looping}.original`]),
  });
  rmSync(pathOf(looping));
  writeFileSync(pathOf(looping), only);
  expect(await get(looping)).toEqual([200, only.length]);
});
