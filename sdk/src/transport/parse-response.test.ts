import { fetch as undiciFetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { makeTestClient, replyPassport } from '../../testing/client.ts';
import { failureOf, testPassport } from '../../testing/records.ts';
import {
  breakConnection,
  type Responder,
  replyError,
  replyJson,
  replyText,
  replyWithRawBytes,
  serveScript,
} from '../../testing/scripted-server.ts';

import { ApiError, ConnectionError } from '../errors.ts';
import type { AgentPlatformOptions } from '../options.ts';

describe('an answer', () => {
  it('has its status, headers and request id', async () => {
    const server = await serveScript(replyJson(200, { bot: testPassport }, { 'request-id': 'r-77', 'x-more': 'yes' }));

    const { data, response } = await makeTestClient(server.url).bots.me().withResponse();

    expect(data).toEqual(testPassport);
    expect(response).toMatchObject({ status: 200, requestId: 'r-77' });
    expect(response.headers.get('x-more')).toBe('yes');
  });

  it('may have more members than this version knows', async () => {
    const server = await serveScript(replyJson(200, { bot: { ...testPassport, mood: 'calm' }, extra: [] }));

    expect(await makeTestClient(server.url).bots.me()).toEqual({ ...testPassport, mood: 'calm' });
  });

  it('may contain records with fewer members', async () => {
    const server = await serveScript(replyJson(200, { bot: { id: testPassport.id } }));

    expect(await makeTestClient(server.url).bots.me()).toEqual({ id: testPassport.id });
  });

  it('may be an unavailable readiness, which is no error', async () => {
    const server = await serveScript(replyJson(503, { status: 'unavailable' }));

    expect(await makeTestClient(server.url).health.ready()).toEqual({ status: 'unavailable' });
    expect(server.received).toHaveLength(1);
  });

  it('is also read by the fetch of Node.js', async () => {
    const server = await serveScript(replyPassport);

    expect(await makeTestClient(server.url, { fetch: globalThis.fetch }).bots.me()).toEqual(testPassport);
  });
});

describe('an amount', () => {
  const quote = '"fee_minor":1,"total_minor":6,"fee_bps":1000';

  it.each(['5.0', '5e0'])('is 5 as %s', async (digits) => {
    const server = await serveScript(replyText(200, `{"quote":{"amount_minor":${digits},${quote}}}`));

    expect(await makeTestClient(server.url).orders.quote(5)).toMatchObject({ amount_minor: 5 });
  });

  it('is not 5 if its digits have another value', async () => {
    const server = await serveScript(replyText(200, `{"quote":{"amount_minor":4.9999999999999999999999,${quote}}}`));

    const error = await failureOf(makeTestClient(server.url).orders.quote(5));

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'unreadable_answer' });
  });

  it('is checked in this way, but not a number unknown to this version', async () => {
    const bot = JSON.stringify(testPassport).replace(/}$/, ',"score":4.9999999999999999999999}');
    const server = await serveScript(replyText(200, `{"bot":${bot}}`));

    expect(await makeTestClient(server.url).bots.me()).toEqual({ ...testPassport, score: 5 });
  });
});

const ways: [string, Pick<AgentPlatformOptions, 'fetch'>][] = [
  ['the client of Node.js', {}],
  ['a fetch', { fetch: undiciFetch }],
];

describe.each(ways)('an invalid response, read by %s,', (_way, options) => {
  const nonsense: [string, Responder][] = [
    ['no content', replyText(204, '')],
    ['nothing', replyText(200, '')],
    ['HTML', replyText(200, '<!doctype html><title>Log in</title>')],
    ['half of its JSON', replyText(200, '{"bot":{"id"')],
    ['another shape', replyJson(200, { error: 'no' })],
    ['a bot that is no object', replyJson(200, { bot: 'alice' })],
    ['a number', replyJson(200, 5)],
    ['null', replyJson(200, null)],
    ['deep nesting', replyText(200, '['.repeat(1_000_000))],
    ['a wrong encoding', (response) => response.end(Buffer.from('{"bot":{"bio":"\xff"}}', 'latin1'))],
    [
      'a Content-Length that is too short',
      replyWithRawBytes('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{"bot":{"id":"1"}}'),
    ],
    ['more than 4 MiB', replyText(200, `{"bot":"${'x'.repeat(4 * 1024 * 1024)}"}`)],
  ];

  it.each(nonsense)('with %s is a typed error without a retry', async (_, responder) => {
    const server = await serveScript(responder);

    const error = await failureOf(makeTestClient(server.url, options).bots.me());

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
    const server = await serveScript(endless);

    expect(await failureOf(makeTestClient(server.url, options).bots.me())).toMatchObject({ code: 'unreadable_answer' });
    expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
    await expect.poll(() => isClosed).toBe(true);
  });

  const broken: [string, Responder][] = [
    [
      'a Content-Length that is too long',
      replyWithRawBytes('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"bot":{}}'),
    ],
    ['something that is not HTTP', replyWithRawBytes('SSH-2.0-OpenSSH_9.9\r\n')],
    ['a chunk that breaks off', replyWithRawBytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"bo')],
    ['a reset', breakConnection],
  ];

  it.each(broken)('with %s is a failed connection, and the request is repeated', async (_, responder) => {
    const server = await serveScript(responder, replyPassport);

    expect(await makeTestClient(server.url, options).bots.me()).toEqual(testPassport);
    expect(await failureOf(makeTestClient((await serveScript(responder)).url, options).bots.me())).toMatchObject({
      code: 'connection_failed',
    });
  });
});

describe('a refusal', () => {
  const refusals: [string, Responder, Partial<ApiError>][] = [
    [
      'in the format of the API',
      replyJson(400, {
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
      replyJson(403, { error: { code: 'forbidden' } }),
      { code: 'forbidden', message: 'The server returned 403 forbidden.' },
    ],
    ['with a new code', replyJson(409, { error: { code: 'too_late' } }), { code: 'unknown', serverCode: 'too_late' }],
    ['with the name of a method as its code', replyJson(400, { error: { code: 'constructor' } }), { code: 'unknown' }],
    [
      'in HTML',
      replyText(404, '<h1>Not found</h1>'),
      { status: 404, code: 'unknown', serverCode: null, requestId: null },
    ],
    ['without a body', replyText(405, ''), { status: 405, code: 'unknown' }],
    ['with an error that is a text', replyJson(400, { error: 'bad' }), { code: 'unknown' }],
    ['with a code that is a number', replyJson(400, { error: { code: 5, message: [] } }), { code: 'unknown' }],
    ['in half a JSON', replyText(400, '{"error":{"code":"inv'), { code: 'unknown' }],
    ['over 4 MiB', replyText(400, 'x'.repeat(5 * 1024 * 1024)), { status: 400, code: 'unknown' }],
  ];

  it.each(refusals)('%s is an ApiError', async (_, responder, expected) => {
    const server = await serveScript(responder);

    const error = await failureOf(makeTestClient(server.url).bots.me());

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject(expected);
  });

  it('keeps only the start of an endless message', async () => {
    const server = await serveScript(
      replyJson(400, { error: { code: 'invalid_input', message: 'x'.repeat(100_000) } }),
    );

    expect(await failureOf(makeTestClient(server.url).bots.me())).toMatchObject({ message: 'x'.repeat(2_000) });
  });

  it('reports the delay if it exceeds the limit', async () => {
    const server = await serveScript(replyError(429, 'rate_limited', { 'retry-after': '3600' }));

    const error = await failureOf(makeTestClient(server.url).bots.me());

    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600, retryable: true });
    expect(server.received).toHaveLength(1);
  });
});
