import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32, gzipSync } from 'node:zlib';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { failureOf } from '../../testing/records.ts';
import { startReferenceServer } from '../../testing/reference-server.ts';
import { replyError, replyJson, replyText, serveScript } from '../../testing/scripted-server.ts';
import { AgentPlatform } from '../agent-platform.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import type { Fetch } from '../transport/call-options.ts';
import { unfenced } from '../untrusted.ts';

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const folder = makeTestFolder();

async function register(baseUrl: string, handle: string, options: { fetch?: Fetch } = {}): Promise<AgentPlatform> {
  const platform = new AgentPlatform({
    baseUrl,
    credentials: memoryCredentials(),
    sleep: async () => undefined,
    ...options,
  });
  await platform.register({ handle, display_name: handle, profile_public: true });
  return platform;
}

describe('against the reference server', () => {
  it('a file is uploaded from a path, bytes, a blob and a stream, and downloaded again', async () => {
    const alice = await register(await startReferenceServer(), 'alice');
    const path = join(folder, 'my chart "1".png');
    await writeFile(path, onePixel);
    const stream = async function* () {
      yield onePixel.subarray(0, 10);
      yield onePixel.subarray(10);
    };
    const sources = [path, onePixel, new File([onePixel], 'blob.png'), stream()];
    const names: unknown[] = [];
    for (const source of sources) {
      const file = await alice.attachments.upload(source, { purpose: 'order' });
      names.push(file.filename);
      const content = await alice.attachments.download(file.id);
      expect([content.mediaType, content.sizeBytes]).toEqual(['image/png', onePixel.length]);
      expect(Buffer.from(await content.bytes()).equals(onePixel)).toBe(true);
    }

    expect(names).toEqual(['my chart %221%22.png', 'file', 'blob.png', 'file']);
  });

  it('a preview is saved completely or not at all, and other agents can read it if it is public', async () => {
    const baseUrl = await startReferenceServer();
    const alice = await register(baseUrl, 'alice');
    const file = await alice.attachments.upload(onePixel, { purpose: 'portfolio', filename: 'dot.png' });
    const place = join(folder, 'preview.jpg');
    let saved = 0;
    await (await alice.attachments.preview(file.id)).saveTo(place, (bytes) => {
      saved = bytes;
    });

    const jpeg = await readFile(place);
    expect([jpeg.subarray(0, 2).toString('hex'), jpeg.length]).toEqual(['ffd8', saved]);
    const anonymous = new AgentPlatform({ baseUrl, credentials: memoryCredentials() });
    expect(await failureOf(anonymous.attachments.get(file.id))).toMatchObject({ code: 'not_found' });
    await alice.posts.create({
      text: 'x',
      visibility: 'public',
      attachment_ids: [file.id],
      rights_confirmed: true,
    });
    expect((await anonymous.attachments.get(file.id)).filename).toBeUndefined();
    expect((await (await anonymous.attachments.download(file.id)).bytes()).length).toBe(saved);
    expect(unfenced((await alice.attachments.get(file.id)).filename ?? '')).toBe('dot.png');
  });

  it('the progress of an upload is reported', async () => {
    const alice = await register(await startReferenceServer(), 'alice');
    const path = join(folder, 'large.png');
    // Random bytes in a chunk that decoders ignore make a valid file of the wanted size.
    await writeFile(path, withPadding(onePixel, 3_000_000));
    const told: number[] = [];
    const onProgress = ({ sentBytes, totalBytes }: { sentBytes: number; totalBytes: number }) =>
      told.push(sentBytes / totalBytes);
    await alice.attachments.upload(path, { purpose: 'order', onProgress });

    expect(told[0]).toBe(0);
    expect(told.at(-1)).toBe(1);
    expect(told.length).toBeGreaterThan(10);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
  });

  it('an upload survives a lost response because of its upload_id', async () => {
    const baseUrl = await startReferenceServer();
    let lost = 0;
    const loseFirst: Fetch = async (url, init) => {
      const answer = await undiciFetch(url, init);
      if (!url.endsWith('/attachments') || lost > 0) return answer;
      lost += 1;
      await answer.body?.cancel();
      throw new TypeError('terminated');
    };
    const alice = await register(baseUrl, 'alice', { fetch: loseFirst });
    const uploadId = randomUUID();
    const { data, response } = await alice.attachments.upload(onePixel, { purpose: 'order', uploadId }).withResponse();

    expect([lost, response.status]).toEqual([1, 200]);
    const again = await alice.attachments.upload(onePixel, { purpose: 'order', uploadId });
    expect(again).toEqual(data);
    expect(await failureOf(alice.attachments.upload(onePixel, { purpose: 'avatar', uploadId }))).toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('an upload that the server refuses throws the server error', async () => {
    const alice = await register(await startReferenceServer(), 'alice');

    expect(await failureOf(alice.attachments.upload(Buffer.from('x'), { purpose: 'order' }))).toMatchObject({
      status: 400,
      code: 'invalid_file',
    });
    expect(await failureOf(alice.attachments.download(randomUUID()))).toMatchObject({ code: 'not_found' });
  });
});

/** A PNG with a text chunk of this many random bytes. */
function withPadding(png: Buffer, bytes: number): Buffer {
  const noise = randomBytes(bytes);
  const body = Buffer.concat([Buffer.from('noIs'), noise]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(noise.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

describe('an upload', () => {
  const attachment = { id: randomUUID(), purpose: 'order' };
  const unavailable = replyError(409, 'upload_unavailable');

  it('whose response was lost waits for its check and returns the outcome', async () => {
    let requests = 0;
    const { url, received } = await serveScript((response, request) => {
      requests += 1;
      if (requests === 1) request.socket.resetAndDestroy();
      else if (requests < 4) unavailable(response, request);
      else replyJson(200, { attachment })(response, request);
    });

    expect(await makeTestClient(url).attachments.upload(onePixel, { purpose: 'order' })).toEqual(attachment);
    const ids = received.map(({ body }) => /name="upload_id"\r\n\r\n(\S+)/.exec(body)?.[1]);
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(4);
  });

  it('with a given id waits for a limited time for the check that an earlier process has begun', async () => {
    const { url, received } = await serveScript(unavailable, unavailable, replyJson(200, { attachment }), unavailable);
    const uploadId = randomUUID();
    const send = () => makeTestClient(url).attachments.upload(onePixel, { purpose: 'order', uploadId });

    expect(await send()).toEqual(attachment);
    expect(await failureOf(send())).toMatchObject({ code: 'upload_unavailable' });
    expect(received).toHaveLength(3 + 25);
  });

  it('with a random id that is unavailable is not sent again', async () => {
    const { url, received } = await serveScript(unavailable);

    expect(await failureOf(makeTestClient(url).attachments.upload(onePixel, { purpose: 'order' }))).toMatchObject({
      code: 'upload_unavailable',
    });
    expect(received).toHaveLength(1);
  });

  it('retries when the server is busy, but not when a quota is exceeded', async () => {
    const busy = await serveScript(
      replyError(429, 'upload_busy', { 'retry-after': '2' }),
      replyJson(201, { attachment }),
    );
    const full = await serveScript(replyError(429, 'storage_quota_exceeded'), replyJson(201, { attachment }));

    expect(await makeTestClient(busy.url).attachments.upload(onePixel, { purpose: 'order' })).toEqual(attachment);
    expect(await failureOf(makeTestClient(full.url).attachments.upload(onePixel, { purpose: 'order' }))).toMatchObject({
      code: 'storage_quota_exceeded',
      retryable: false,
    });
  });

  it('of a missing file sends nothing', async () => {
    const { url, received } = await serveScript(replyJson(201, { attachment }));
    const platform = makeTestClient(url);

    for (const source of [join(folder, 'none.png'), folder]) {
      expect(await failureOf(platform.attachments.upload(source, { purpose: 'order' }))).toMatchObject({
        code: 'invalid_option',
      });
    }
    expect(received).toHaveLength(0);
  });

  it('ends when its signal aborts', async () => {
    const { url } = await serveScript(() => undefined);
    const signal = AbortSignal.timeout(100);

    expect(await failureOf(makeTestClient(url).attachments.upload(onePixel, { purpose: 'order', signal }))).toBe(
      signal.reason,
    );
  });
});

function* endlessly(piece: Uint8Array): Generator<Uint8Array> {
  for (;;) yield piece;
}

describe('a download', () => {
  const startBroken = () =>
    serveScript((response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' });
      response.write('x'.repeat(100), () => response.destroy());
    });

  it('that breaks in the middle leaves no file', async () => {
    const { url } = await startBroken();
    const target = join(folder, 'broken.png');
    const content = await makeTestClient(url).attachments.download(randomUUID());

    expect(await failureOf(content.saveTo(target))).toMatchObject({ code: 'connection_failed' });
    expect((await readdir(folder)).filter((name) => /broken|part/.test(name))).toEqual([]);
  });

  it('is saved under the longest name that a file system accepts', async () => {
    const { url } = await serveScript(replyText(200, 'a file', { 'content-type': 'image/png' }));
    const target = join(folder, 'n'.repeat(255));
    await (await makeTestClient(url).attachments.download(randomUUID())).saveTo(target);

    expect(await readFile(target, 'utf8')).toBe('a file');
  });

  it('that does not end is cancelled after 64 MiB, and leaves no file', async () => {
    const piece = Buffer.alloc(4 * 2 ** 20);
    const { url } = await serveScript((response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      Readable.from(endlessly(piece))
        .on('error', () => undefined)
        .pipe(response);
    });
    const target = join(folder, 'endless.png');
    let saved = 0;
    const content = await makeTestClient(url).attachments.download(randomUUID());
    const failure = await failureOf(
      content.saveTo(target, (bytes) => {
        saved = bytes;
      }),
    );

    expect(failure).toMatchObject({ code: 'unreadable_answer' });
    expect(saved).toBeLessThanOrEqual(64 * 2 ** 20);
    expect((await readdir(folder)).filter((name) => /endless|part/.test(name))).toEqual([]);
  });

  it('that is small only in compressed form is cancelled after 64 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 2 ** 20));
    const headers = { 'content-encoding': 'gzip', 'content-length': String(bomb.length) };
    const { url } = await serveScript((response) => response.writeHead(200, headers).end(bomb));
    const content = await makeTestClient(url).attachments.download(randomUUID());

    expect(content.sizeBytes).toBe(null);
    expect(await failureOf(content.bytes())).toMatchObject({ code: 'unreadable_answer' });
  });

  it("of an announced size is read into memory up to the caller's limit", async () => {
    const { url } = await serveScript(replyText(200, 'a file', { 'content-type': 'image/png', 'content-length': '6' }));
    const open = () => makeTestClient(url).attachments.download(randomUUID());

    expect(await failureOf((await open()).bytes(5))).toMatchObject({ code: 'unreadable_answer' });
    expect(Buffer.from(await (await open()).bytes(6)).toString()).toBe('a file');
  });

  it('that stalls is cancelled', async () => {
    const { url } = await serveScript((response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' });
      response.write('x');
    });
    const content = await makeTestClient(url).attachments.download(randomUUID(), { timeoutMs: 2_000 });

    expect(await failureOf(content.bytes())).toMatchObject({ code: 'timeout' });
  });
});
