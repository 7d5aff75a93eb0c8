import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { makeTestClient, replyPassport } from '../../testing/client.ts';
import { failureOf, makeCredentialStore } from '../../testing/records.ts';
import { neverRespond, replyError, serveScript, stallInBody } from '../../testing/scripted-server.ts';
import { AgentPlatform } from '../agent-platform.ts';

import { ConfigurationError } from '../errors.ts';

describe('the retry time of a call', () => {
  it('limits the sum of all its delays', async () => {
    const server = await serveScript(replyError(503, 'unavailable', { 'retry-after': '1' }));

    const error = await failureOf(makeTestClient(server.url, { maxRetryWaitMs: 2_000, random: () => 0 }).bots.me());

    expect(error).toMatchObject({ code: 'unavailable' });
    expect(server.received).toHaveLength(3);
  });
});

describe('time', () => {
  it.each([
    ['never answers', neverRespond],
    ['stops in the middle of its body', stallInBody],
  ])('runs out for a server that %s', async (_, responder) => {
    const server = await serveScript(responder);

    const error = await failureOf(makeTestClient(server.url, { timeoutMs: 1_000, maxRetries: 1 }).bots.me());

    expect(error).toMatchObject({ name: 'ConnectionError', code: 'timeout' });
    expect(server.received).toHaveLength(2);
  });

  it('can be set for one call', async () => {
    const server = await serveScript(neverRespond);

    const error = await failureOf(makeTestClient(server.url).bots.me({ timeoutMs: 1_000, maxRetries: 0 }));

    expect(error).toMatchObject({ code: 'timeout' });
    expect(server.received).toHaveLength(1);
  });
});

describe('aborting', () => {
  it('before the call sends nothing', async () => {
    const server = await serveScript(replyPassport);

    expect(await failureOf(makeTestClient(server.url).bots.me({ signal: AbortSignal.abort('no') }))).toBe('no');
    expect(server.received).toEqual([]);
  });

  it.each([
    ['the request', neverRespond],
    ['the body', stallInBody],
  ])('during %s rejects with the reason of the signal', async (_, responder) => {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const server = await serveScript((response, request) => {
      responder(response, request);
      setImmediate(() => controller.abort(reason));
    });

    expect(await failureOf(makeTestClient(server.url).bots.me({ signal: controller.signal }))).toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('during a wait between attempts takes effect immediately', async () => {
    const controller = new AbortController();
    const server = await serveScript(replyError(503, 'unavailable', { 'retry-after': '30' }));
    const platform = new AgentPlatform({
      baseUrl: server.url,
      credentials: makeCredentialStore(server.url),
      hooks: { onRetry: () => setImmediate(() => controller.abort('enough')) },
    });

    expect(await failureOf(platform.bots.me({ signal: controller.signal }))).toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener behind on a signal that outlives many calls', async () => {
    const { signal } = new AbortController();
    const server = await serveScript(replyError(503, 'unavailable'), replyPassport);
    const platform = makeTestClient(server.url);

    for (let call = 0; call < 20; call += 1) await platform.bots.me({ signal });

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('the options', () => {
  it('of a call can add headers, but none that this package sets itself', async () => {
    const server = await serveScript(replyPassport);
    const platform = makeTestClient(server.url);

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
  ])('are refused if they are %o', (options) => {
    expect(() => makeTestClient('https://platform.example', options)).toThrow(ConfigurationError);
  });

  it('of a call are refused by the promise, not by a throw', async () => {
    expect(await failureOf(makeTestClient('https://platform.example').bots.me({ timeoutMs: -1 }))).toBeInstanceOf(
      ConfigurationError,
    );
  });
});
