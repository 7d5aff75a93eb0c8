import { operations } from '@agent-platform/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectEvents, waitForCloseCode } from '../../../testing/event-client.ts';
import { sendBytes } from '../../../testing/send-bytes.ts';
import {
  expectRefusal,
  makeRegistration,
  newPublicKey,
  startTestServer,
  useTestServer,
} from '../../../testing/test-server.ts';
import { serverVersion } from '../versions.ts';

const server = useTestServer({ PLATFORM_REQUEST_SECONDS: '1' });
let token: string;
beforeAll(async () => {
  ({ token } = await server().register('alice'));
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  server().request('POST', '/api/v1/bots/register', { body, headers });

describe('a path that does not exist', () => {
  it.each([
    '/api',
    '/api/v1',
    '/ws',
    '/agents/',
    '/agents/alice/',
    '/agents/alice/x',
    '/posts',
    '/assets/pages.css',
    '/favicon.png',
    '/api/v1/bots/me/',
    '/api/v1/bots/me/x',
    '/api/v2/bots/me',
    '/API/v1/bots/me',
    '/api//v1/bots/me',
    '/api/v1/bots/',
    '/api/v1/orders//accept',
    '/health',
    '/%zz',
    '/api/v1/%E0%A4%A',
  ])('%s is 404, with a token and without', async (path) => {
    expectRefusal(await server().request('GET', path), 'not_found');
    expectRefusal(await server().request('POST', path, { token, body: {} }), 'not_found');
  });
});

it.each(operations.filter(({ path }) => path.includes('{')))(
  'an id with an encoded line break is invalid: $method $path',
  async ({ method, path }) => {
    for (const end of ['%0A', '%0D%0A', '%00', '%E2%80%A8']) {
      const url = path.replaceAll(/\{\w+\}/g, `01a1fdff-c0dc-7093-b041-e5d4cac41340${end}`);
      const body = method === 'GET' ? {} : { body: {} };
      expectRefusal(await server().request(method, url, { token, ...body }), 'invalid_id');
    }
  },
);

describe('a method that a path does not support', () => {
  it.each([
    ['PUT', '/api/v1/bots/me', 'GET, HEAD, PATCH'],
    ['DELETE', '/api/v1/bots/me', 'GET, HEAD, PATCH'],
    ['PROPFIND', '/api/v1/bots/me', 'GET, HEAD, PATCH'],
    ['GET', '/api/v1/tokens/rotate', 'POST'],
  ])('%s %s is 401 without a token and 405 with one', async (method, path, allow) => {
    expectRefusal(await server().request(method, path), 'unauthorized');
    const answer = await server().request(method, path, { token });
    expectRefusal(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each([
    ['GET', '/api/v1/bots/register', 'POST'],
    ['OPTIONS', '/api/v1/bots/register', 'POST'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
  ])('%s %s is 405 for every caller', async (method, path, allow) => {
    const answer = await server().request(method, path);
    expectRefusal(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('is not HEAD if GET is supported', async () => {
    expect((await server().request('HEAD', '/api/v1/bots/me', { token })).status).toBe(200);
    expect((await server().request('HEAD', '/api/v1/bots/me')).status).toBe(401);
    expect((await server().request('HEAD', '/api/v1/bots/register')).status).toBe(405);
  });
});

describe('a body', () => {
  const padded = (bytes: number) => `{"handle":"${'a'.repeat(bytes - 13)}"}`;

  it('of 65,536 bytes is read, and one byte more is refused', async () => {
    expect(Buffer.byteLength(padded(65_536))).toBe(65_536);
    expectRefusal(await post(padded(65_536)), 'invalid_input');
    expectRefusal(await post(padded(65_537)), 'body_too_large');
    expectRefusal(await post(padded(70 * 1_024)), 'body_too_large');
  });

  it('over the limit is also refused in chunks', async () => {
    const chunk = 'a'.repeat(0x4000);
    const chunked = `4000\r\n${chunk}\r\n`.repeat(5);
    const received = await sendBytes(
      server().url,
      `POST /api/v1/bots/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}0\r\n\r\n`,
    );

    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(received).toContain('body_too_large');
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; Charset=Utf-8',
  ])('of type %j is JSON', async (type) => {
    expectRefusal(await post('{}', { 'content-type': type }), 'invalid_input');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json+x',
    'application/problem+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; x=y',
    'application/json, text/plain',
    'application/json\t;x',
    'text/json',
    ';',
    'application / json',
  ])('of type %j is not', async (type) => {
    expectRefusal(
      await post(JSON.stringify(makeRegistration('typed')), { 'content-type': type }),
      'unsupported_media_type',
    );
  });

  it('that is compressed, or has no type at all, is refused', async () => {
    expectRefusal(await post('{}', { 'content-encoding': 'gzip' }), 'unsupported_media_type');
    const received = await sendBytes(
      server().url,
      'POST /api/v1/bots/register HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(received).toContain('unsupported_media_type');
  });

  it('that is missing is requested', async () => {
    expectRefusal(await post(undefined), 'invalid_input');
    expectRefusal(await post('', { 'content-type': 'application/json' }), 'invalid_input');
  });

  it('has the last value of a repeated member', async () => {
    const key = newPublicKey();
    const answer = await post(
      `{"handle":"first_one","handle":"second_one","display_name":"x","encryption_public_key":"${key}"}`,
    );

    expect(answer.body['bot']?.['handle']).toBe('second_one');
  });

  it('is checked after the token, and its type before its content', async () => {
    const path = '/api/v1/bots/me';
    expectRefusal(
      await server().request('PATCH', path, { body: 'x', headers: { 'content-type': 'text/plain' } }),
      'unauthorized',
    );
    expectRefusal(
      await server().request('PATCH', path, { token, body: 'x', headers: { 'content-type': 'text/plain' } }),
      'unsupported_media_type',
    );
    expectRefusal(await server().request('PATCH', path, { token, body: 'x' }), 'invalid_input');
  });
});

describe('a query', () => {
  it.each(['?x=1', '?x', '?token=1', '?%00=1', '?page=1', '?a=%zz'])(
    '%s is refused if the operation has no parameters',
    async (query) => {
      expectRefusal(await server().request('GET', `/api/v1/bots/me${query}`, { token }), 'invalid_input');
      expectRefusal(
        await server().request('POST', `/api/v1/bots/register${query}`, { body: makeRegistration('queried') }),
        'invalid_input',
      );
    },
  );

  it('that is empty is ignored', async () => {
    expect((await server().request('GET', '/api/v1/bots/me?', { token })).status).toBe(200);
  });

  it('is never logged', async () => {
    await server().request('GET', '/api/v1/bots/me?secret=hunter2', { token });

    expect(server().logged()).not.toContain('hunter2');
  });
});

describe('a response', () => {
  it.each([
    ['POST', '/api/v1/bots/register', 201],
    ['POST', '/api/v1/tokens/rotate', 200],
    ['GET', '/api/v1/bots/me', 200],
    ['HEAD', '/api/v1/wallet', 200],
    ['DELETE', '/api/v1/bots/me', 405],
    ['GET', '/api/v1/attachments/none', 400],
    ['GET', '/nothing', 404],
    ['GET', '/health/live', 200],
  ])('is neither cached nor sniffed: %s %s %d', async (method, path, status) => {
    const reader = await server().register(`reader_${method}_${path.replaceAll('/', '_')}`.toLowerCase().slice(0, 32));
    const body = status === 201 ? { body: makeRegistration('cached') } : {};
    const answer = await server().request(method, path, { token: reader.token, ...body });

    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is neither cached nor sniffed if no route is involved', async () => {
    const received = await sendBytes(server().url, 'garbage\r\n\r\n');

    expect(received).toMatch(/^cache-control: no-store\r$/m);
    expect(received).toMatch(/^x-content-type-options: nosniff\r$/m);
  });
});

describe('the log', () => {
  it('has one line for a request, and no stack for a refusal', async () => {
    const answer = await server().request('GET', '/nothing/here');
    const id = answer.headers.get('request-id') ?? '';

    await expect.poll(() => linesOf(id)).toHaveLength(1);
    expect(linesOf(id)[0]).toMatchObject({ method: 'GET', path: '/nothing/here', status: 404, code: 'not_found' });
    expect(server().logged()).not.toContain('"stack"');
  });

  it('truncates a path that is longer than those of the API', async () => {
    const answer = await server().request('GET', `/${'a'.repeat(15_000)}`);
    const id = answer.headers.get('request-id') ?? '';

    await expect.poll(() => linesOf(id)).toMatchObject([{ path: expect.stringMatching(/^.{100,250}…$/) }]);
  });

  it('omits refusals of unknown senders above a limit, and logs their number', async () => {
    const flooded = await startTestServer({ LOG_LEVEL: 'info', PLATFORM_TRUST_PROXY: '127.0.0.1' });
    const headers = { 'x-forwarded-for': 'a'.repeat(5_000) };
    await waitForCloseCode(await connectEvents(flooded.url, undefined, undefined, { headers }));
    for (let sent = 0; sent < 130; sent += 1) await flooded.request('GET', '/api/v1/bots/me', { headers });
    const { token: valid } = await flooded.register('bob_');
    expectRefusal(await flooded.request('GET', '/nothing', { token: valid }), 'not_found');
    expectRefusal(await flooded.request('GET', '/api/v1/attachments/none', { token: valid }), 'invalid_id');
    await waitForCloseCode(await connectEvents(flooded.url, undefined));
    await sendBytes(flooded.url, 'garbage\r\n\r\n');
    await flooded.close();
    const lines = flooded
      .logged()
      .split('\n')
      .filter((line) => line.includes('"code":"unauthorized"'));

    expect(lines).toHaveLength(99);
    expect(flooded.logged()).toContain('"left_out":{"4401":1,"unauthorized":31,"not_found":1,"invalid_input":1}');
    expect(flooded.logged()).not.toContain('a'.repeat(300));
  });
});

function linesOf(requestId: string): object[] {
  return server()
    .logged()
    .split('\n')
    .filter((line) => line.includes(requestId))
    .map((line) => JSON.parse(line) as object);
}

describe('health', () => {
  it('needs no token', async () => {
    expect((await server().request('GET', '/health/live')).body).toEqual({ status: 'ok', version: serverVersion });
    expect((await server().request('GET', '/health/ready')).body).toEqual({ status: 'ok', version: serverVersion });
  });

  it('serves the contract, printed for the public address', async () => {
    const { body } = await server().request('GET', '/openapi.json');

    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { version: '0.1.0' },
      servers: [{ url: 'http://platform.test' }],
    });
    expect(Object.keys(body['paths'] ?? {})).toContain('/api/v1/bots/register');
  });
});
