import { fetch as undiciFetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { clientOf, me } from '../../testing/client.ts';
import { failureOf, passport } from '../../testing/records.ts';
import { breakConnection, json, type Responder, raw, refusal, serve, text } from '../../testing/scripted-server.ts';

import { ApiError, ConnectionError } from '../errors.ts';
import type { AgentPlatformOptions } from '../options.ts';

describe('an answer', () => {
  it('has its status, headers and request id', async () => {
    const server = await serve(json(200, { bot: passport }, { 'request-id': 'r-77', 'x-more': 'yes' }));

    const { data, response } = await clientOf(server.url).bots.me().withResponse();

    expect(data).toEqual(passport);
    expect(response).toMatchObject({ status: 200, requestId: 'r-77' });
    expect(response.headers.get('x-more')).toBe('yes');
  });

  it('may have more members than this version knows', async () => {
    const server = await serve(json(200, { bot: { ...passport, mood: 'calm' }, extra: [] }));

    expect(await clientOf(server.url).bots.me()).toEqual({ ...passport, mood: 'calm' });
  });

  it('may contain records with fewer members', async () => {
    const server = await serve(json(200, { bot: { id: passport.id } }));

    expect(await clientOf(server.url).bots.me()).toEqual({ id: passport.id });
  });

  it('may be an unavailable readiness, which is no error', async () => {
    const server = await serve(json(503, { status: 'unavailable' }));

    expect(await clientOf(server.url).health.ready()).toEqual({ status: 'unavailable' });
    expect(server.received).toHaveLength(1);
  });

  it('is also read by the fetch of Node.js', async () => {
    const server = await serve(me);

    expect(await clientOf(server.url, { fetch: globalThis.fetch }).bots.me()).toEqual(passport);
  });
});

describe('an amount', () => {
  const quote = '"fee_minor":1,"total_minor":6,"fee_bps":1000';

  it.each(['5.0', '5e0'])('is 5 as %s', async (digits) => {
    const server = await serve(text(200, `{"quote":{"amount_minor":${digits},${quote}}}`));

    expect(await clientOf(server.url).orders.quote(5)).toMatchObject({ amount_minor: 5 });
  });

  it('is not 5 if its digits have another value', async () => {
    const server = await serve(text(200, `{"quote":{"amount_minor":4.9999999999999999999999,${quote}}}`));

    const error = await failureOf(clientOf(server.url).orders.quote(5));

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'unreadable_answer' });
  });

  it('is checked in this way, but not a number unknown to this version', async () => {
    const bot = JSON.stringify(passport).replace(/}$/, ',"score":4.9999999999999999999999}');
    const server = await serve(text(200, `{"bot":${bot}}`));

    expect(await clientOf(server.url).bots.me()).toEqual({ ...passport, score: 5 });
  });
});

const ways: [string, Pick<AgentPlatformOptions, 'fetch'>][] = [
  ['the client of Node.js', {}],
  ['a fetch', { fetch: undiciFetch }],
];

describe.each(ways)('an invalid response, read by %s,', (_way, options) => {
  const nonsense: [string, Responder][] = [
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

  it.each(nonsense)('with %s is a typed error without a retry', async (_, responder) => {
    const server = await serve(responder);

    const error = await failureOf(clientOf(server.url, options).bots.me());

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'unreadable_answer' });
    expect(server.received).toHaveLength(1);
  });

  it('is only read up to the limit', async () => {
    let sentBytes = 0;
    let isClosed = false;
    const endless: Responder = (response) => {
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
    const server = await serve(endless);

    expect(await failureOf(clientOf(server.url, options).bots.me())).toMatchObject({ code: 'unreadable_answer' });
    expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
    await expect.poll(() => isClosed).toBe(true);
  });

  const broken: [string, Responder][] = [
    ['a Content-Length that is too long', raw('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"bot":{}}')],
    ['something that is not HTTP', raw('SSH-2.0-OpenSSH_9.9\r\n')],
    ['a chunk that breaks off', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"bo')],
    ['a reset', breakConnection],
  ];

  it.each(broken)('with %s is a failed connection, and the request is repeated', async (_, responder) => {
    const server = await serve(responder, me);

    expect(await clientOf(server.url, options).bots.me()).toEqual(passport);
    expect(await failureOf(clientOf((await serve(responder)).url, options).bots.me())).toMatchObject({
      code: 'connection_failed',
    });
  });
});

describe('a refusal', () => {
  const refusals: [string, Responder, Partial<ApiError>][] = [
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
      { code: 'forbidden', message: 'The server returned 403 forbidden.' },
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

  it.each(refusals)('%s is an ApiError', async (_, responder, expected) => {
    const server = await serve(responder);

    const error = await failureOf(clientOf(server.url).bots.me());

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject(expected);
  });

  it('keeps only the start of an endless message', async () => {
    const server = await serve(json(400, { error: { code: 'invalid_input', message: 'x'.repeat(100_000) } }));

    expect(await failureOf(clientOf(server.url).bots.me())).toMatchObject({ message: 'x'.repeat(2_000) });
  });

  it('reports the delay if it exceeds the limit', async () => {
    const server = await serve(refusal(429, 'rate_limited', { 'retry-after': '3600' }));

    const error = await failureOf(clientOf(server.url).bots.me());

    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600, retryable: true });
    expect(server.received).toHaveLength(1);
  });
});
