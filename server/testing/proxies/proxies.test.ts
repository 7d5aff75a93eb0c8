import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { connectEvents } from '../event-client.ts';
import { makePng, makePngChunk } from '../files/image-maker.ts';
import { makeRegistration, startTestServer, type TestServer } from '../test-server.ts';
import { proxyKinds, proxyPrograms } from './proxy-files.ts';
import { type ProxyRequestOptions, sendThroughProxy } from './send-through.ts';
import { isProgramInstalled, type RunningProxy, startProxy } from './start-proxy.ts';

const fileBytes = 20_971_520;
const tooLarge = { status: 413, json: { error: { code: 'body_too_large' } } };
const settings = { PLATFORM_TRUST_PROXY: '127.0.0.1', PLATFORM_REQUEST_SECONDS: '1' };

const servers: TestServer[] = [];

beforeAll(async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  const storage = { PLATFORM_STORAGE_URL: '' };
  for (let count = 0; count < 3; count += 1) {
    const server = await startTestServer({ ...settings, ...(count === 0 ? {} : storage) }, database);
    servers.push(server);
    storage.PLATFORM_STORAGE_URL = `file://${server.folder}/files`;
  }
});

afterAll(async () => {
  for (const server of servers) await server.close();
});

describe.each(proxyKinds)('the file of %s', (kind) => {
  const { name } = proxyPrograms[kind];
  if (!isProgramInstalled(kind)) {
    it.skip(`is not tested: ${name} is not installed; on Debian, apt-get install ${kind}`, () => undefined);
    return;
  }

  let proxy: RunningProxy;
  beforeAll(async () => {
    proxy = await startProxy(
      kind,
      servers.map(({ url }) => url),
    );
  });
  afterAll(() => proxy.stop());

  const send = (path: string, sent: ProxyRequestOptions = {}) => sendThroughProxy(proxy.url, proxy.ca, path, sent);
  const logged = () => servers.map((server) => server.logged()).join('');
  const register = async (handle: string) => {
    const headers = { 'content-type': 'application/json' };
    const parts = [JSON.stringify(makeRegistration(`${handle}_${kind}`))];
    const { json } = await send('/api/v1/bots/register', { method: 'POST', headers, parts });
    return { id: String(json?.['bot']?.['id']), token: String(json?.['token']) };
  };

  it('redirects from HTTP to HTTPS', async () => {
    const { status, headers } = await sendThroughProxy(proxy.httpUrl, '', '/api/v1/bots?q=a');
    expect(status).toBe(308);
    expect(headers.location).toMatch(/^https:\/\/localhost[^/]*\/api\/v1\/bots\?q=a$/);
  });

  it("reports the client's address, whatever the client sends", async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const { headers: received } = await send('/api/v1/bots/me', { from: '127.0.0.2', headers });
    expect(logged()).toMatch(new RegExp(`"${received['request-id']}".*"address":"127.0.0.2"`));
  });

  it('forwards the request id and logs it', async () => {
    const id = String((await send('/api/v1/bots/me')).headers['request-id']);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await expect.poll(() => proxy.log()).toContain(id);
  });

  it('uses all servers', async () => {
    await Promise.all(Array.from({ length: 12 }, () => send('/api/v1/bots/me')));
    for (const server of servers) expect(server.logged()).toContain('"path":"/api/v1/bots/me"');
  });

  it('forwards files of 20 MiB, and lets the server refuse larger ones', async () => {
    const { token } = await register('uploader');
    expect((await send('/api/v1/attachments', uploadOf(token, pictureOf(fileBytes)))).status).toBe(201);
    const { headers, ...large } = uploadOf(token, Buffer.alloc(100_000));
    const declared = { ...large, headers: { ...headers, 'content-length': '1000000000' } };
    expect(await send('/api/v1/attachments', declared)).toMatchObject(tooLarge);
  });

  it('lets the server refuse bodies that are too large or too slow', async () => {
    const large = { method: 'PATCH', headers: { 'content-type': 'application/json' }, parts: ['x'.repeat(70_000)] };
    const { token } = await register('writer');
    const headers = { ...large.headers, authorization: `Bearer ${token}` };
    expect(await send('/api/v1/bots/me', { ...large, headers })).toMatchObject(tooLarge);
    const declared = { ...large, headers: { ...headers, 'content-length': '1000000000' } };
    expect(await send('/api/v1/bots/me', declared)).toMatchObject(tooLarge);
    const slow = { ...large, headers, parts: ['{', '"bio":', '"a"', '}', ' '], pauseMs: 400 };
    expect(await send('/api/v1/bots/me', slow)).toMatchObject({
      status: 408,
      json: { error: { code: 'request_timeout' } },
    });
  });

  it('forwards headers of 15 KiB', async () => {
    const headers = { 'x-long': 'x'.repeat(7_000), 'x-longer': 'x'.repeat(8_000) };
    expect((await send('/api/v1/bots/me', { headers })).json?.['error']?.['code']).toBe('unauthorized');
  });

  it('forwards event connections', async () => {
    const [alice, bob] = [await register('alice'), await register('bob')];
    const events = await connectEvents(proxy.url, bob, undefined, { ca: proxy.ca, family: 4 });
    const parts = [JSON.stringify({ recipient_id: bob.id })];
    const headers = { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' };
    expect((await send('/api/v1/contacts/requests', { method: 'POST', headers, parts })).status).toBe(201);
    const [event] = await events.until(1);
    expect(event?.['kind']).toBe('contact.requested');
    events.ack(...events.eventIds());
    await events.until(1, 'acked');
    await events.close();
  });

  it('uses a live server while none is ready, and responds itself if none is live', async () => {
    const stand = await startStandIn();
    const alone = await startProxy(kind, [stand.url]);
    onTestFinished(() => alone.stop());
    onTestFinished(stand.stop);
    const get = (path: string, accept: string) => sendThroughProxy(alone.url, alone.ca, path, { headers: { accept } });
    stand.state.isReady = false;
    // nginx makes no health checks; the other proxies detect an unready server after three checks.
    if (kind !== 'nginx') await expect.poll(() => stand.state.unreadyChecks, { timeout: 60_000 }).toBeGreaterThan(2);
    expect((await get('/api/v1/bots', '*/*')).text).toBe('read');

    stand.stop();
    const unavailable = { status: 503, headers: { 'retry-after': '2' }, json: { error: { code: 'unavailable' } } };
    await expect.poll(() => get('/', '*/*'), { timeout: 60_000 }).toMatchObject(unavailable);
    expect(await get('/api/v1/bots', 'text/html')).toMatchObject(unavailable);
    const page = await get('/bots', 'text/html,application/xhtml+xml');
    expect(page).toMatchObject({ status: 503, headers: { 'retry-after': '2' }, json: undefined });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.text).toContain('Try again shortly.');
  });
});

/** Responds to every read, and is ready unless `state` says otherwise. */
async function startStandIn() {
  const state = { isReady: true, unreadyChecks: 0 };
  const server = createServer((request, response) => {
    const isUnready = request.url === '/health/ready' && !state.isReady;
    if (isUnready && request.headers['x-forwarded-for'] === undefined) state.unreadyChecks += 1;
    response.writeHead(isUnready ? 503 : 200).end('read');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { state, stop, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Returns a picture of exactly this size; a comment in it contains most of the bytes. */
function pictureOf(bytes: number): Buffer {
  const empty = makePng(16, 16, [makePngChunk('tEXt', Buffer.alloc(0))]).length;
  return makePng(16, 16, [makePngChunk('tEXt', Buffer.alloc(bytes - empty, 'a'))]);
}

function uploadOf(token: string, file: Uint8Array): ProxyRequestOptions {
  const field = (name: string, value: string) =>
    `--line\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=line' },
    parts: [
      field('purpose', 'portfolio') + field('upload_id', randomUUID()),
      '--line\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n',
      file,
      '\r\n--line--\r\n',
    ],
  };
}
