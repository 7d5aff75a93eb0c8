import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeTestClient, replyPassport } from '../../testing/client.ts';
import { failureOf, rotatedTestToken, testPassport, testToken, testTokenGrant } from '../../testing/records.ts';
import {
  type Responder,
  replyError,
  replyJson,
  replyText,
  replyWithRawBytes,
  serveScript,
} from '../../testing/scripted-server.ts';
import type { AgentPlatform } from '../agent-platform.ts';
import { ApiError } from '../errors.ts';
import type { Hooks, RequestContext, ResponseContext, RetryContext } from './hooks.ts';
import { TokenRedactor } from './token-redactor.ts';

/** Returns hooks that record all their arguments, and a function that returns the records as text. */
function listening(): { hooks: Hooks; told: () => string } {
  const told: unknown[] = [];
  const hear = (info: RequestContext | ResponseContext | RetryContext) =>
    told.push(info, 'headers' in info ? [...info.headers] : []);
  return { hooks: { onRequest: hear, onResponse: hear, onRetry: hear }, told: () => show(told) };
}

function show(value: unknown): string {
  const everything = { depth: 12, showHidden: true, maxArrayLength: null, maxStringLength: null };
  return `${JSON.stringify(value)} ${inspect(value, everything)}`;
}

const wide = 'x'.repeat(490);

describe('an echoed token', () => {
  it.each<[string, Responder]>([
    ['in a message', replyJson(401, { error: { code: 'unauthorized', message: `Bad token ${testToken}.` } })],
    ['in a code', replyJson(401, { error: { code: testToken, message: '' } })],
    [
      'in details',
      replyJson(400, {
        error: { code: 'invalid_input', message: 'No.', details: [{ path: testToken, message: `is ${testToken}` }] },
      }),
    ],
    ['at the end of a message that is cut', replyJson(401, { error: { message: `${'x'.repeat(1_980)}${testToken}` } })],
    ['as the id of the request', replyError(401, 'unauthorized', { 'request-id': testToken })],
    ['in a header', replyError(503, 'unavailable', { 'x-echo': `Bearer ${testToken}`, 'retry-after': '1' })],
    ['in the address of a redirect', replyText(302, '', { location: `/login?then=${testToken}` })],
    ['at the end of an address that is cut', replyText(302, '', { location: `/${wide}${testToken}` })],
    ['in an answer that is not HTTP', replyWithRawBytes(`HTTP/1.1 x ${testToken}\r\n\r\n`)],
  ])('%s is in no error and no hook', async (_, answer) => {
    const { hooks, told } = listening();
    const server = await serveScript(answer);
    const calls: ((platform: AgentPlatform) => PromiseLike<unknown>)[] = [
      (platform) => platform.bots.me({ maxRetries: 1 }),
      (platform) => platform.bots.updateMe({ bio: 'new' }),
    ];

    for (const call of calls) {
      const error = await failureOf(call(makeTestClient(server.url, { hooks })));
      // Even a few characters of the token would be a leak.
      for (const seen of [show(error), told()]) expect(seen).not.toContain(testToken.slice(0, 8));
    }
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${testToken}`);
  });

  it('is replaced by a mark, and the text around it stays', async () => {
    const server = await serveScript(
      replyJson(401, { error: { code: 'unauthorized', message: `The token ${testToken} is old.`, details: [] } }),
    );

    const error = await failureOf(makeTestClient(server.url).bots.me());

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'unauthorized', message: 'The token [hidden] is old.', requestId: 'r-1' });
  });

  it('is hidden in the response to a rotation and later, whether it is the old or the new one', async () => {
    const { hooks, told } = listening();
    const server = await serveScript(
      replyJson(200, testTokenGrant, { 'x-issued': rotatedTestToken }),
      replyJson(401, {
        error: { code: 'unauthorized', message: `${testToken} was followed by ${rotatedTestToken}.` },
      }),
    );
    const platform = makeTestClient(server.url, { hooks });
    await platform.tokens.rotate();

    const error = await failureOf(platform.bots.me());

    expect(error).toMatchObject({ message: '[hidden] was followed by [hidden].' });
    expect(told()).not.toContain(testToken);
    expect(told()).not.toContain(rotatedTestToken);
  });

  it('stays in the headers of withResponse, which are not changed', async () => {
    const server = await serveScript(replyJson(200, { bot: testPassport }, { 'x-echo': testToken }));

    const { response } = await makeTestClient(server.url).bots.me().withResponse();

    expect(response.headers.get('x-echo')).toBe(testToken);
  });
});

describe('a header with the name of a secret', () => {
  it.each(['x-api-key', 'api-key', 'apikey', 'X-Vault-Token', 'x-client-secret', 'cookie', 'proxy-authorization'])(
    'is hidden from the hooks: %s',
    async (name) => {
      const { hooks, told } = listening();
      const server = await serveScript(replyPassport);

      await makeTestClient(server.url, { hooks }).bots.me({ headers: { [name]: 's3cret' } });

      expect(server.received[0]?.headers[name.toLowerCase()]).toBe('s3cret');
      expect(told()).not.toContain('s3cret');
    },
  );

  it('is hidden when the server sets it, and other headers are shown', async () => {
    const { hooks, told } = listening();
    const server = await serveScript(
      replyJson(200, { bot: testPassport }, { 'set-cookie': 'id=s3cret', 'x-cache': 'missed' }),
    );

    await makeTestClient(server.url, { hooks }).bots.me({
      headers: { 'idempotency-key': 'k-1', 'x-keyboard': 'qwerty' },
    });

    expect(told()).not.toContain('s3cret');
    for (const shown of ['missed', 'k-1', 'qwerty']) expect(told()).toContain(shown);
  });
});

describe('known tokens', () => {
  it('are also hidden when percent-encoded', () => {
    const tokens = new TokenRedactor();
    tokens.add('ab+/cd==');

    expect(tokens.hide('?a=ab+/cd==&b=ab%2B%2Fcd%3D%3D')).toBe('?a=[hidden]&b=[hidden]');
  });

  it('are limited to the last 16 in use', () => {
    const tokens = new TokenRedactor();
    for (let number = 10; number < 27; number += 1) {
      tokens.add('used-often');
      tokens.add(`token-${number}`);
    }

    expect(tokens.hide('used-often token-11 token-12 token-26')).toBe('[hidden] token-11 [hidden] [hidden]');
  });
});
