import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { startLoadAdjustedTimer } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Server, s3ServerName, startS3 } from '../../testing/s3/s3-server.ts';
import { newId } from '../platform/crypto.ts';
import { makeFolderStorage } from './folder-storage.ts';
import { makeS3Storage } from './s3/s3-storage.ts';
import type { FileStorage, OpenedFile } from './storage.ts';
import { isStorageUnavailable, StorageUnavailable } from './storage-failure.ts';

let s3: S3Server;
const folder = makeTestFolder();
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.remove());

const newKey = () => `${newId()}.original`;
const quick = { attemptsMax: 2, stalledMs: 500, wholeMs: 1_200 };

function localFile(bytes: Uint8Array): string {
  const path = join(folder, newId());
  writeFileSync(path, bytes);
  return path;
}

async function putBytes(storage: FileStorage, key: string, bytes: Uint8Array): Promise<string> {
  const path = localFile(bytes);
  await storage.prepare(path);
  await storage.put(key, path);
  return path;
}

async function read(opened: Promise<OpenedFile | undefined>): Promise<Buffer | undefined> {
  const file = await opened;
  return file === undefined ? undefined : await buffer(file.stream);
}

async function keysOf(storage: FileStorage): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of storage.list()) keys.push(key);
  return keys.toSorted();
}

const storages = [
  { name: 'a folder', make: () => makeFolderStorage(join(folder, newId())) },
  { name: `a bucket of ${s3ServerName}`, make: () => makeS3Storage(s3.place()) },
];

describe.each(storages)('the storage in $name', ({ make }) => {
  it('stores files unchanged, moves local files, serves ranges and removes files', async () => {
    const storage = make();
    const [key, other] = [newKey(), newKey()];
    const bytes = randomBytes(3 * 1024 * 1024 + 7);
    await storage.probe();
    await storage.check();
    expect(await storage.has(key)).toBe(false);
    expect(await storage.open(key)).toBeUndefined();
    expect(await keysOf(storage)).toEqual([]);

    const path = await putBytes(storage, key, bytes);
    await putBytes(storage, other, Buffer.from('x'));

    expect(existsSync(path)).toBe(false);
    expect(await storage.has(key)).toBe(true);
    expect((await read(storage.open(key)))?.equals(bytes)).toBe(true);
    expect((await read(storage.open(key, { start: 100, end: 199 })))?.equals(bytes.subarray(100, 200))).toBe(true);
    const last = bytes.length - 1;
    const [whole, part] = [await storage.open(key), await storage.open(key, { start: last, end: last })];
    expect([part?.bytes, part?.version]).toEqual([bytes.length, whole?.version]);
    for (const file of [whole, part]) file?.stream.destroy();
    expect((await read(storage.open(key, { start: last, end: last })))?.equals(bytes.subarray(last))).toBe(true);
    expect(await keysOf(storage)).toEqual([key, other].toSorted());
    await putBytes(storage, key, Buffer.from('another content'));
    expect(String(await read(storage.open(key)))).toBe('another content');
    const changed = await storage.open(key);
    expect([changed?.bytes, changed?.version === whole?.version]).toEqual([15, false]);
    changed?.stream.destroy();
    for (const _ of [1, 2]) await storage.remove(key);
    expect([await storage.has(key), await keysOf(storage)]).toEqual([false, [other]]);
  });

  it('has an id, and lists neither it nor the probe', async () => {
    const storage = make();
    expect(await storage.readId()).toBeUndefined();
    for (const id of ['one', 'two']) {
      await storage.writeId(id);
      expect(await storage.readId()).toBe(id);
    }
    await storage.probe();
    expect(await keysOf(storage)).toEqual([]);
  });

  it('reports a missing file: its put stores nothing', async () => {
    const storage = make();
    const key = newKey();
    await expect(storage.put(key, join(folder, 'gone'))).rejects.toThrow(/ENOENT|no such file/);
    expect(await storage.has(key)).toBe(false);
  });
});

describe('a bucket', () => {
  it('may contain other objects, which are not changed', async () => {
    const place = s3.place();
    const storage = makeS3Storage(place);
    for (const name of ['notes.txt', 'deeper/0.original']) {
      const object = { Bucket: place.bucket, Key: `${place.prefix}${name}`, Body: 'x' };
      await s3.client.send(new PutObjectCommand(object));
    }
    const key = newKey();
    await putBytes(storage, key, Buffer.from('x'));
    expect(await keysOf(storage)).toEqual([key]);
  });

  it.each([
    ['a wrong secret', { secretAccessKey: 'wrong-secret-0123' }, {}],
    ['an unknown key', { accessKeyId: 'UNKNOWNKEY0123' }, {}],
    ['a bucket that does not exist', {}, { bucket: 'missing' }],
  ])('with %s fails immediately, and the error contains no keys', async (_, otherKeys, other) => {
    const usual = s3.place();
    const keys = { accessKeyId: '', secretAccessKey: '', ...usual.keys, ...otherKeys };
    const place = { ...usual, ...other, keys };
    const storage = makeS3Storage(place);
    const works = [storage.probe(), storage.readId(), storage.open(newKey()), keysOf(storage), storage.check()];
    for (const outcome of await Promise.allSettled<unknown>(works)) {
      const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
      expect(isStorageUnavailable(error)).toBe(true);
      // Prints more details of the error than a log would.
      const printed = inspect(error, { depth: null, showHidden: true });
      expect(printed).toMatch(/S3 \w+ in \w+: \w+ \(40[34]\)\./);
      for (const secret of Object.values(keys)) expect(printed).not.toContain(secret);
      expect(printed).not.toMatch(/Signature=|Credential=|StringToSign/);
    }
  });

  it('that is frozen ends every call in time, and works when it is back', async () => {
    const storage = makeS3Storage(s3.place(), quick);
    const key = newKey();
    await putBytes(storage, key, Buffer.from('x'));
    const path = localFile(randomBytes(8 * 1024 * 1024));
    s3.freeze();
    const wholeMs = startLoadAdjustedTimer();
    const works = [storage.open(key), storage.has(key), storage.readId(), storage.put(newKey(), path), keysOf(storage)];
    const outcomes = await Promise.allSettled(works);
    // Includes the put of 8 MiB: its 8 s of extra time only apply while bytes are being transferred.
    expect(wholeMs()).toBeLessThan(5_000);
    const checkedMs = startLoadAdjustedTimer();
    await expect(storage.check()).rejects.toThrow(StorageUnavailable);
    expect(checkedMs()).toBeLessThan(2_000);
    const closing = makeS3Storage(s3.place());
    const closedMs = startLoadAdjustedTimer();
    const waiting = closing.has(key);
    await wait(50);
    closing.close();
    await expect(waiting).rejects.toThrow(StorageUnavailable);
    expect(closedMs()).toBeLessThan(3_000);
    s3.thaw();

    expect(outcomes.map((outcome) => outcome.status === 'rejected' && isStorageUnavailable(outcome.reason))).toEqual(
      works.map(() => true),
    );
    expect(existsSync(path)).toBe(true);
    expect(String(await read(storage.open(key)))).toBe('x');
  });
});

/** Starts an S3 server with scripted responses, for behaviour that a real server shows only when it is broken. */
async function fakeServer(answer: Parameters<typeof createServer>[1] & object) {
  const server: Server = createServer(answer as never).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const place = { ...s3.place(), endpoint: `http://127.0.0.1:${port}` };
  return { server, place, storage: makeS3Storage(place, quick) };
}

describe('a bucket whose server', () => {
  it('fails temporarily is called again', async () => {
    let calls = 0;
    const { server, storage } = await fakeServer((request, response) => {
      calls += 1;
      request.resume().once('end', () => response.writeHead(calls === 1 ? 503 : 200).end());
    });
    await putBytes(storage, newKey(), randomBytes(100_000));
    expect(calls).toBe(2);
    calls = 1;
    expect(await storage.has(newKey())).toBe(true);
    expect(calls).toBe(2);
    server.close();
  });

  it('refuses the time of a request is called again with the time of the server', async () => {
    const signed: string[] = [];
    const { server, storage } = await fakeServer((request, response) => {
      signed.push(String(request.headers['x-amz-date']));
      response.setHeader('date', new Date(Date.now() + 100 * 86_400_000).toUTCString());
      const isFirst = signed.length === 1;
      const error = isFirst ? '<Error><Code>RequestTimeTooSkewed</Code></Error>' : '';
      request.resume().once('end', () => response.writeHead(isFirst ? 403 : 200).end(error));
    });
    await putBytes(storage, newKey(), randomBytes(100_000));

    expect(signed).toHaveLength(2);
    const [wrong = 0, right = 0] = signed.map((time) => Number(time.slice(0, 8)));
    expect(right).toBeGreaterThan(wrong);
    server.close();
  });

  it('lists in pages is called for all of them', async () => {
    const keys = Array.from({ length: 5 }, newKey).toSorted();
    const { server, storage, place } = await fakeServer((request, response) => {
      const from = Number(new URL(request.url ?? '', 'http://s3').searchParams.get('continuation-token') ?? 0);
      const found = keys.slice(from, from + 2).map((key) => `<Contents><Key>${place.prefix}${key}</Key></Contents>`);
      const next = from + 2 < keys.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
      response.end(`<ListBucketResult>${next}${found.join('')}</ListBucketResult>`);
    });
    expect(await keysOf(storage)).toEqual(keys);
    server.close();
  });

  it('sends half of a file and stops ends the reader, unless it is the reader that is slow', async () => {
    const half = 1024 * 1024;
    const { server, storage } = await fakeServer((_request, response) => {
      response.writeHead(200, { 'content-length': String(2 * half) }).write(randomBytes(half));
    });
    const stream = (await storage.open(newKey()))?.stream;
    // S3 has not stalled, because the stream is not being read yet.
    await wait(2 * quick.stalledMs);
    expect(stream?.destroyed).toBe(false);
    const reading = Promise.race([buffer(stream as Readable), wait(60_000, 'still waiting')]);
    await expect(reading).rejects.toThrow(StorageUnavailable);
    server.closeAllConnections();
    server.close();
  });

  it('is closed as soon as the reader disconnects', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    const { server, storage } = await fakeServer((request, response) => {
      response.writeHead(200, { 'content-length': String(64 * 1024 * 1024) });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      request.once('close', () => resolve('closed'));
      more();
    });
    const stream = (await storage.open(newKey()))?.stream;
    stream?.destroy();
    expect(await Promise.race([ended, wait(2_000, 'still open')])).toBe('closed');
    server.close();
  });
});
