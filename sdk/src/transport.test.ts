import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  type Answerer,
  answering,
  breakConnection,
  json,
  raw,
  refusal,
  saySilence,
  stallInBody,
  text,
} from '../testing/answering-server.ts';
import { credentialFor, failureOf, nextToken, passport, registeredAt, token } from '../testing/records.ts';
import { AgentPlatform } from './agent-platform.ts';
import { memoryCredentials } from './credentials.ts';
import { ApiError, ConfigurationError, ConnectionError } from './errors.ts';
import type { AgentPlatformOptions } from './options.ts';

const me = json(200, { bot: passport });

function clientOf(url: string, options: Partial<AgentPlatformOptions> = {}): AgentPlatform {
  return new AgentPlatform({
    baseUrl: url,
    credentials: registeredAt(url),
    sleep: async () => undefined,
    ...options,
  });
}

describe('an answer', () => {
  it('comes with its status, headers and request id', async () => {
    const server = await answering(json(200, { bot: passport }, { 'request-id': 'r-77', 'x-more': 'yes' }));

    const { data, response } = await clientOf(server.url).bots.me().withResponse();

    expect(data).toEqual(passport);
    expect(response).toMatchObject({ status: 200, requestId: 'r-77' });
    expect(response.headers.get('x-more')).toBe('yes');
  });

  it('may say more than this version knows', async () => {
    const server = await answering(json(200, { bot: { ...passport, mood: 'calm' }, extra: [] }));

    expect(await clientOf(server.url).bots.me()).toEqual({ ...passport, mood: 'calm' });
  });

  it('may come from a server that says less of a record', async () => {
    const server = await answering(json(200, { bot: { id: passport.id } }));

    expect(await clientOf(server.url).bots.me()).toEqual({ id: passport.id });
  });

  it('may be an unavailable readiness, which is no error', async () => {
    const server = await answering(json(503, { status: 'unavailable' }));

    expect(await clientOf(server.url).health.ready()).toEqual({ status: 'unavailable' });
    expect(server.received).toHaveLength(1);
  });

  it('is read with the fetch of Node.js as well', async () => {
    const server = await answering(me);

    expect(await clientOf(server.url, { fetch: globalThis.fetch }).bots.me()).toEqual(passport);
  });
});

describe('an answer that makes no sense', () => {
  const nonsense: [string, Answerer][] = [
    ['no content', text(204, '')],
    ['nothing', text(200, '')],
    ['HTML', text(200, '<!doctype html><title>Log in</title>')],
    ['half of its JSON', text(200, '{"bot":{"id"')],
    ['another shape', json(200, { error: 'no' })],
    ['a bot that is no object', json(200, { bot: 'alice' })],
    ['a number', json(200, 5)],
    ['null', json(200, null)],
    ['deep nesting', text(200, '['.repeat(1_000_000))],
    ['a wrong encoding', (response) => response.end(Buffer.from('{"bot":{"bio":"\xff"}}', 'latin1'))],
    ['a Content-Length that is too short', raw('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{"bot":{"id":"1"}}')],
    ['more than 4 MiB', text(200, `{"bot":"${'x'.repeat(4 * 1024 * 1024)}"}`)],
  ];

  it.each(nonsense)('with %s is a typed error, at once', async (_, answerer) => {
    const server = await answering(answerer);

    const error = await failureOf(clientOf(server.url).bots.me());

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'unreadable_answer' });
    expect(server.received).toHaveLength(1);
  });

  it('is not read any further than its limit', async () => {
    let sentBytes = 0;
    let isClosed = false;
    const endless: Answerer = (response) => {
      response.on('close', () => {
        isClosed = true;
      });
      const send = () => {
        if (response.destroyed) return;
        sentBytes += 65_536;
        response.write('x'.repeat(65_536), () => setImmediate(send));
      };
      send();
    };
    const server = await answering(endless);

    expect(await failureOf(clientOf(server.url).bots.me())).toMatchObject({ code: 'unreadable_answer' });
    expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
    await expect.poll(() => isClosed).toBe(true);
  });

  const broken: [string, Answerer][] = [
    ['a Content-Length that is too long', raw('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"bot":{}}')],
    ['something that is not HTTP', raw('SSH-2.0-OpenSSH_9.9\r\n')],
    ['a chunk that breaks off', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"bo')],
    ['a reset', breakConnection],
  ];

  it.each(broken)('with %s is a failed connection, and the read is repeated', async (_, answerer) => {
    const server = await answering(answerer, me);

    expect(await clientOf(server.url).bots.me()).toEqual(passport);
    expect(await failureOf(clientOf((await answering(answerer)).url).bots.me())).toMatchObject({
      code: 'connection_failed',
    });
  });
});

describe('a refusal', () => {
  const refusals: [string, Answerer, Partial<ApiError>][] = [
    [
      'in the format of the API',
      json(400, {
        error: { code: 'invalid_input', message: 'No.', details: [{ path: '/bio', message: 'Too long.' }, 5] },
      }),
      {
        status: 400,
        code: 'invalid_input',
        message: 'No.',
        requestId: 'r-1',
        details: [{ path: '/bio', message: 'Too long.' }],
      },
    ],
    [
      'without a message',
      json(403, { error: { code: 'forbidden' } }),
      { code: 'forbidden', message: 'The server answered 403 forbidden.' },
    ],
    ['with a new code', json(409, { error: { code: 'too_late' } }), { code: 'unknown', serverCode: 'too_late' }],
    ['with the name of a method as its code', json(400, { error: { code: 'constructor' } }), { code: 'unknown' }],
    ['in HTML', text(404, '<h1>Not found</h1>'), { status: 404, code: 'unknown', serverCode: null, requestId: null }],
    ['without a body', text(405, ''), { status: 405, code: 'unknown' }],
    ['with an error that is a text', json(400, { error: 'bad' }), { code: 'unknown' }],
    ['with a code that is a number', json(400, { error: { code: 5, message: [] } }), { code: 'unknown' }],
    ['in half a JSON', text(400, '{"error":{"code":"inv'), { code: 'unknown' }],
    ['over 4 MiB', text(400, 'x'.repeat(5 * 1024 * 1024)), { status: 400, code: 'unknown' }],
  ];

  it.each(refusals)('%s is an ApiError', async (_, answerer, expected) => {
    const server = await answering(answerer);

    const error = await failureOf(clientOf(server.url).bots.me());

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject(expected);
  });

  it('keeps only the beginning of an endless message', async () => {
    const server = await answering(json(400, { error: { code: 'invalid_input', message: 'x'.repeat(100_000) } }));

    expect(await failureOf(clientOf(server.url).bots.me())).toMatchObject({ message: 'x'.repeat(2_000) });
  });

  it('tells how long to wait when that is too long to wait for', async () => {
    const server = await answering(refusal(429, 'rate_limited', { 'retry-after': '3600' }));

    const error = await failureOf(clientOf(server.url).bots.me());

    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600, retryable: true });
    expect(server.received).toHaveLength(1);
  });
});

describe('the patience of a call', () => {
  it('is one for all its waits together', async () => {
    const server = await answering(refusal(503, 'unavailable', { 'retry-after': '1' }));

    const error = await failureOf(clientOf(server.url, { maxRetryWaitMs: 2_000, random: () => 0 }).bots.me());

    expect(error).toMatchObject({ code: 'unavailable' });
    expect(server.received).toHaveLength(3);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is refused, and the token does not follow it', async (status) => {
    const other = await answering(me);
    const server = await answering(text(status, '', { location: `${other.url}/elsewhere` }));

    const error = await failureOf(clientOf(server.url).bots.me());

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'redirect_refused' });
    expect(String(error)).toContain(`${other.url}/elsewhere`);
    expect(other.received).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  it('on the same origin is refused as well', async () => {
    const server = await answering(text(308, '', { location: '/api/v1/bots/me/' }));

    expect(await failureOf(clientOf(server.url, { fetch: globalThis.fetch }).bots.me())).toMatchObject({
      code: 'redirect_refused',
    });
    expect(server.received).toHaveLength(1);
  });
});

describe('the token', () => {
  it('goes to the origin of its credential, in the header', async () => {
    const server = await answering(me);

    await clientOf(server.url).bots.me();

    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect(server.received[0]?.path).toBe('/api/v1/bots/me');
  });

  it('goes to no other origin, not even another port of the same host', async () => {
    const server = await answering(me);
    const credentials = registeredAt('http://127.0.0.1:1');

    const error = await failureOf(clientOf(server.url, { credentials }).bots.me());

    expect(error).toMatchObject({ code: 'wrong_origin' });
    expect(server.received).toEqual([]);
  });

  it('is not sent where none is needed', async () => {
    const server = await answering(json(200, { status: 'ok' }));

    await clientOf(server.url).health.live();

    expect(server.received[0]?.headers.authorization).toBeUndefined();
  });

  it('is missed before anything is sent', async () => {
    const server = await answering(me);
    const none = memoryCredentials();
    const revoked = memoryCredentials(credentialFor(server.url, { token: null }));

    expect(await failureOf(clientOf(server.url, { credentials: none }).bots.me())).toMatchObject({
      code: 'no_credential',
    });
    expect(await failureOf(clientOf(server.url, { credentials: revoked }).bots.me())).toMatchObject({
      code: 'no_credential',
    });
    expect(server.received).toEqual([]);
  });
});

describe('a refused token', () => {
  it('is replaced by the one that another process has stored, once, for every operation', async () => {
    const credentials = memoryCredentials();
    const server = await answering(me, refusal(401, 'unauthorized'), me);
    await credentials.save(credentialFor(server.url));
    const platform = clientOf(server.url, { credentials });
    await platform.bots.me();

    await credentials.save(credentialFor(server.url, { token: nextToken }));
    await platform.bots.updateMe({ bio: 'new' });

    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
      `Bearer ${nextToken}`,
    ]);
  });

  it('is refused for good when the new one is refused too', async () => {
    const credentials = memoryCredentials();
    const server = await answering(me, refusal(401, 'unauthorized'));
    await credentials.save(credentialFor(server.url));
    const platform = clientOf(server.url, { credentials });
    await platform.bots.me();

    await credentials.save(credentialFor(server.url, { token: nextToken }));

    expect(await failureOf(platform.bots.me())).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(server.received).toHaveLength(3);
  });

  it('is replaced once, even by a store that has another one each time', async () => {
    let loads = 0;
    const server = await answering(refusal(401, 'unauthorized'));
    const credentials = {
      ...memoryCredentials(),
      load: async () => {
        loads += 1;
        return credentialFor(server.url, { token: `token-${loads}` });
      },
    };

    expect(await failureOf(clientOf(server.url, { credentials }).bots.me())).toMatchObject({ code: 'unauthorized' });
    expect(server.received).toHaveLength(2);
  });

  it.each([
    ['the same', (url: string) => credentialFor(url)],
    ['that of another agent', (url: string) => credentialFor(url, { token: nextToken, bot_id: 'other' })],
    ['that of another origin', () => credentialFor('https://other.example', { token: nextToken })],
    ['none', (url: string) => credentialFor(url, { token: null })],
  ])('stays refused when the stored one is %s', async (_, stored) => {
    const credentials = memoryCredentials();
    const server = await answering(me, refusal(401, 'unauthorized'));
    await credentials.save(credentialFor(server.url));
    const platform = clientOf(server.url, { credentials });
    await platform.bots.me();

    await credentials.save(stored(server.url));

    expect(await failureOf(platform.bots.me())).toMatchObject({ code: 'unauthorized' });
    expect(server.received).toHaveLength(2);
  });
});

describe('time', () => {
  it.each([
    ['never answers', saySilence],
    ['stops in the middle of its body', stallInBody],
  ])('runs out for a server that %s', async (_, answerer) => {
    const server = await answering(answerer);

    const error = await failureOf(clientOf(server.url, { timeoutMs: 80, maxRetries: 1 }).bots.me());

    expect(error).toMatchObject({ name: 'ConnectionError', code: 'timeout' });
    expect(server.received).toHaveLength(2);
  });

  it('can be given for one call', async () => {
    const server = await answering(saySilence);

    const error = await failureOf(clientOf(server.url).bots.me({ timeoutMs: 50, maxRetries: 0 }));

    expect(error).toMatchObject({ code: 'timeout' });
    expect(server.received).toHaveLength(1);
  });
});

describe('aborting', () => {
  it('before the call sends nothing', async () => {
    const server = await answering(me);

    expect(await failureOf(clientOf(server.url).bots.me({ signal: AbortSignal.abort('no') }))).toBe('no');
    expect(server.received).toEqual([]);
  });

  it.each([
    ['the request', saySilence],
    ['the body', stallInBody],
  ])('during %s rejects with the own reason', async (_, answerer) => {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const server = await answering((response, request) => {
      answerer(response, request);
      setImmediate(() => controller.abort(reason));
    });

    expect(await failureOf(clientOf(server.url).bots.me({ signal: controller.signal }))).toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('during a wait between attempts works at once', async () => {
    const controller = new AbortController();
    const server = await answering(refusal(503, 'unavailable', { 'retry-after': '30' }));
    const platform = new AgentPlatform({
      baseUrl: server.url,
      credentials: registeredAt(server.url),
      hooks: { onRetry: () => setImmediate(() => controller.abort('enough')) },
    });

    expect(await failureOf(platform.bots.me({ signal: controller.signal }))).toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener behind on a signal that outlives many calls', async () => {
    const { signal } = new AbortController();
    const server = await answering(refusal(503, 'unavailable'), me);
    const platform = clientOf(server.url);

    for (let call = 0; call < 20; call += 1) await platform.bots.me({ signal });

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('the options', () => {
  it('of a call can add headers, but none that this package sets itself', async () => {
    const server = await answering(me);
    const platform = clientOf(server.url);

    await platform.bots.me({ headers: { 'x-trace': 't-1' } });

    expect(server.received[0]?.headers['x-trace']).toBe('t-1');
    for (const headers of [{ Authorization: 'Bearer x' }, { HOST: 'x' }, { 'x-a': 'b\nc' }]) {
      expect(await failureOf(platform.bots.me({ headers }))).toBeInstanceOf(ConfigurationError);
    }
    expect(server.received).toHaveLength(1);
  });

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: 1.5 },
    { timeoutMs: Number.NaN },
    { timeoutMs: 2 ** 31 },
    { maxRetries: -1 },
    { maxRetries: 21 },
    { maxRetryWaitMs: Number.POSITIVE_INFINITY },
  ])('are refused when they are %o', (options) => {
    expect(() => clientOf('https://platform.example', options)).toThrow(ConfigurationError);
  });

  it('of a call are refused by the promise, not by a throw', async () => {
    expect(await failureOf(clientOf('https://platform.example').bots.me({ timeoutMs: -1 }))).toBeInstanceOf(
      ConfigurationError,
    );
  });
});
