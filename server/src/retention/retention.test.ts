import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Envelope } from '@agent-platform/contract';
import { freshDatabase } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { readRealFile } from '../../testing/files/real-files.ts';
import { makeEnvelope, randomBase64 } from '../../testing/scenarios/envelopes.ts';
import { befriend } from '../../testing/scenarios/friends.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import {
  captureLog,
  day,
  expectRefusal,
  hour,
  type Json,
  openTestServer,
  type RegisteredAgent,
  startTestServer,
  type TestServer,
} from '../../testing/test-server.ts';
import { makeFolderStorage } from '../files/folder-storage.ts';
import { systemClock } from '../platform/clock.ts';
import { makeLogger } from '../platform/logger.ts';
import type { Store } from '../store/store.ts';
import { runRetention, startRetention } from './retention-commands.ts';

const folder = makeTestFolder();
const storage = makeFolderStorage(join(folder, 'files'));
const terms = { unattachedFileHours: 24, detachedFileDays: 30 };
const announce = async () => undefined;
const photo = readRealFile('upright.jpg');
let server: TestServer;
let alice: RegisteredAgent;
let bob: RegisteredAgent;
beforeAll(async () => {
  server = await startTestServer({ PLATFORM_DATA_DIR: folder, PLATFORM_TOKEN_LIFETIME_DAYS: '0' });
  alice = await server.register('alice', { profile_public: true });
  bob = await server.register('bob_');
  await befriend(server, alice, bob);
});
afterAll(() => server.close());

const run = (at: string, milliseconds: number, fileTerms = terms) =>
  runRetention({ store: server.store, storage, terms: fileTerms, announce }, new Date(Date.parse(at) + milliseconds));
/** 0 keeps every file. */
const endless = { unattachedFileHours: 0, detachedFileDays: 0 };
const send = (envelope: Envelope) => server.request('POST', '/api/v1/messages', { token: alice.token, body: envelope });
const dialog = (query = '') => server.request('GET', `/api/v1/messages?peer=${alice.id}${query}`, { token: bob.token });
const members = (value: unknown) => value as Record<string, string>;

describe('an expired message', () => {
  it('leaves no copy in waiting events', async () => {
    const { expires_at } = members((await send(await makeEnvelope(server, alice, bob))).body['message']);
    const waiting = () =>
      server.store.read((reader) =>
        reader.selectFrom('events').where('kind', '=', 'message.created').select('event_id').execute(),
      );

    await run(expires_at ?? '', -1);
    expect(await waiting()).not.toEqual([]);
    expect((await run(expires_at ?? '', 0)).events).toBeGreaterThan(0);
    expect(await waiting()).toEqual([]);
  });

  it('loses its content in the first run after its expiry, and keeps its id and nonce', async () => {
    const envelope = await makeEnvelope(server, alice, bob);
    const { id, expires_at } = members((await send(envelope)).body['message']);
    const [later] = [members((await send(await makeEnvelope(server, alice, bob))).body['message'])];

    expect(await run(expires_at ?? '', -1)).toMatchObject({ messages: 0 });
    expect(await run(expires_at ?? '', 0)).toMatchObject({ messages: later['expires_at'] === expires_at ? 2 : 1 });
    expect(await run(expires_at ?? '', 0)).toMatchObject({ messages: 0 });
    expectRefusal(await send(envelope), 'message_expired');
    expectRefusal(await send({ ...envelope, ciphertext: randomBase64(16) }), 'message_expired');
    expectRefusal(await send({ ...envelope, client_message_id: randomUUID() }), 'nonce_reuse');
    const left = (await dialog()).body['messages'] as unknown as readonly Json[];
    expect(left.map((message) => message['id'])).not.toContain(id);
    expectRefusal(await dialog(`&before=${id}`), 'not_found');
  });

  it('is hidden from all readers before a run', async () => {
    const own = await openTestServer({ PLATFORM_TOKEN_LIFETIME_DAYS: '0', PLATFORM_MESSAGE_DAYS: '2' });
    const [carol, dave] = [await own.register('carol'), await own.register('dave')];
    await befriend(own, carol, dave);
    const body = await makeEnvelope(own, carol, dave);
    const sending = () => own.request('POST', '/api/v1/messages', { token: carol.token, body });
    const reading = () => own.request('GET', `/api/v1/messages?peer=${carol.id}`, { token: dave.token });
    await sending();
    own.pass(2 * day - hour);
    expect((await sending()).status).toBe(200);
    expect((await reading()).body['messages']).toHaveLength(1);
    own.pass(hour);
    expectRefusal(await sending(), 'message_expired');
    expect((await reading()).body).toEqual({ messages: [], next_before: null });
  });

  it('does not expire if the setting is 0', async () => {
    const own = await openTestServer({ PLATFORM_MESSAGE_DAYS: '0' });
    const [carol, dave] = [await own.register('carol'), await own.register('dave')];
    await befriend(own, carol, dave);
    const body = await makeEnvelope(own, carol, dave);
    const answer = await own.request('POST', '/api/v1/messages', { token: carol.token, body });
    expect(answer.body['message']?.['expires_at']).toBe('9999-12-31T23:59:59.999Z');
  });
});

describe('an expired file', () => {
  const upload = async (purpose = 'portfolio', uploadId: string = randomUUID()) => {
    const answer = await uploadFile(server.url, alice.token, { file: photo, purpose, uploadId });
    return { uploadId, status: answer.status, body: answer.body, ...members(answer.body['attachment']) } as const;
  };
  const record = async (id: string | undefined) =>
    (await server.request('GET', `/api/v1/attachments/${id}`, { token: alice.token })).body['attachment'];
  const stored = (id: string | undefined) =>
    readdirSync(join(folder, 'files'), { recursive: true }).filter((path) => String(path).includes(id ?? 'none'));
  const usage = () =>
    server.store.read((reader) => reader.selectFrom('file_usage').selectAll().orderBy('key').execute());

  it('is removed 24 hours after its upload if it is not attached: the record stays, the space is freed', async () => {
    const before = await usage();
    const file = members(await upload());
    const row = await server.store.read((reader) =>
      reader
        .selectFrom('attachments')
        .where('id', '=', file['id'] ?? '')
        .selectAll()
        .executeTakeFirstOrThrow(),
    );
    const created = `${String(row.created_at).replace(' ', 'T').replace('+00', 'Z')}`;
    expect(stored(file['id']).length).toBe(2);

    expect(await run(created, day - 1)).toMatchObject({ files: 0 });
    expect(await run(created, day, endless)).toMatchObject({ files: 0 });
    expect(await run(created, day)).toMatchObject({ files: 1 });
    expect(await record(file['id'])).toMatchObject({ available: false, preview_url: null, download_url: null });
    expect(stored(file['id'])).toEqual([]);
    expect((await upload('portfolio', file['uploadId'])).body['error']?.['code']).toBe('upload_unavailable');
    const after = await usage();
    for (const { key, files, bytes } of before) {
      expect(after.find((other) => other.key === key)).toMatchObject({ files, bytes });
    }
  });

  it('is removed 30 days after it was detached, and never while it is bound', async () => {
    const file = members(await upload('avatar'));
    const change = (avatar: string | null) =>
      server.request('PATCH', '/api/v1/bots/me', {
        token: alice.token,
        body: { avatar_attachment_id: avatar, rights_confirmed: true },
      });
    expect((await change(file['id'] ?? '')).status).toBe(200);
    const far = new Date(Date.now() + 400 * day).toISOString();
    expect(await run(far, 0)).toMatchObject({ files: 0 });

    await change(null);
    const detachedBefore = new Date().toISOString();
    expect(await run(detachedBefore, 30 * day - hour)).toMatchObject({ files: 0 });
    expect(await run(detachedBefore, 30 * day, endless)).toMatchObject({ files: 0 });
    expect(await run(detachedBefore, 30 * day)).toMatchObject({ files: 1 });
    expect(stored(file['id'])).toEqual([]);
  });

  it('loses, in the next run, the bytes that a crashed run left', async () => {
    const file = members(await upload());
    await server.store.transact((writer) =>
      writer
        .updateTable('attachments')
        .set({ cleaned_at: new Date() })
        .where('id', '=', file['id'] ?? '')
        .execute(),
    );
    expect(stored(file['id']).length).toBe(2);
    await run(new Date().toISOString(), 0);
    expect(stored(file['id'])).toEqual([]);
  });
});

describe('runs of retention', () => {
  it('share the work if they run concurrently, and count everything once', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const servers = [await openTestServer({}, url), await openTestServer({}, url)] as const;
    const [one] = servers;
    const [carol, dave] = [await one.register('carol'), await one.register('dave')];
    await befriend(one, carol, dave);
    const envelope = await makeEnvelope(one, carol, dave);
    for (let batch = 0; batch < 6; batch += 1) {
      await Promise.all(
        Array.from({ length: 100 }, () =>
          one.request('POST', '/api/v1/messages', {
            token: carol.token,
            body: { ...envelope, client_message_id: randomUUID(), nonce: randomBase64(24) },
          }),
        ),
      );
    }
    const now = new Date(Date.now() + 91 * day);
    const removed = await Promise.all(
      [...servers, ...servers].map(({ store }) => runRetention({ store, storage, terms, announce }, now)),
    );
    expect(removed.reduce((sum, { messages }) => sum + messages, 0)).toBe(600);
  });

  it('remove nothing while the time is uncertain', async () => {
    const { log, logged } = captureLog('info');
    await send(await makeEnvelope(server, alice, bob));
    await server.store.transact((writer) =>
      writer
        .updateTable('messages')
        .set({ expires_at: new Date(0) })
        .execute(),
    );
    const asked = Promise.withResolvers<void>();
    let runs = 0;
    const removalTime = () => {
      runs += 1;
      if (runs === 3) asked.resolve();
      return undefined;
    };
    const job = startRetention(
      { store: server.store, storage, terms, announce, removalTime, clock: systemClock, log },
      5,
    );
    await asked.promise;
    await job.close();

    expect(logged()).toBe('');
    expect((await run(new Date().toISOString(), 200 * day)).messages).toBeGreaterThan(0);
  });

  it('reclaim the space of an embedded database every minute, even if nothing is ever removed', async () => {
    const { log } = captureLog('info');
    let reads = 0;
    // This store has no space to reclaim.
    const read: Store['read'] = async () => {
      reads += 1;
      return { rows: [] } as never;
    };
    const start = (kind: Store['kind']) =>
      startRetention(
        {
          store: { ...server.store, kind, read },
          storage,
          terms,
          announce,
          removalTime: () => undefined,
          clock: systemClock,
          log,
        },
        0,
      );
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    try {
      const [server, embedded] = [start('postgresql'), start('pglite')];
      vi.advanceTimersByTime(59_999);
      expect(reads).toBe(0);
      vi.advanceTimersByTime(1);
      await Promise.all([server.close(), embedded.close()]);
    } finally {
      vi.useRealTimers();
    }

    // The embedded server reads the tables and the log. Each server reads the files that were never checked, and those
    // that a wrong clock marked as checked in the future.
    expect(reads).toBe(6);
  });

  it('are repeated automatically, and report what they removed', async () => {
    const lines: string[] = [];
    const stream = new PassThrough().on('data', (line: Buffer) => lines.push(line.toString()));
    const log = makeLogger('info', { stream, isTerminal: false });
    const clock = () => new Date(Date.now() + 200 * day);
    await send(await makeEnvelope(server, alice, bob));
    const job = startRetention({ store: server.store, storage, terms, announce, removalTime: clock, clock, log }, 20);
    try {
      await expect.poll(() => lines.join('')).toContain('retention removed expired content');
      await send(await makeEnvelope(server, alice, bob));
      await expect.poll(() => lines.length).toBeGreaterThan(1);
    } finally {
      await job.close();
    }
  });
});
