import { once } from 'node:events';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeCredentialStore,
  rotatedTestToken,
  testPassport,
  testToken,
  testTokenGrant,
} from '../../testing/records.ts';
import { replyError, replyJson, serveScript } from '../../testing/scripted-server.ts';
import { AgentPlatform } from '../agent-platform.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import type { Hooks, RequestContext, ResponseContext, RetryContext } from './hooks.ts';

function clientOf(url: string, hooks: Hooks): AgentPlatform {
  return new AgentPlatform({
    baseUrl: url,
    credentials: makeCredentialStore(url),
    hooks,
    sleep: async () => undefined,
    random: () => 0,
  });
}

describe('hooks', () => {
  // These listeners are removed during the tests, because Node.js would print every expected warning.
  const printing = process.listeners('warning');
  beforeAll(() => {
    process.removeAllListeners('warning');
  });
  afterAll(() => {
    for (const listener of printing) process.on('warning', listener);
  });

  it('are called for each attempt, response and retry', async () => {
    const told: { request: RequestContext[]; response: ResponseContext[]; retry: RetryContext[] } = {
      request: [],
      response: [],
      retry: [],
    };
    const server = await serveScript(replyError(503, 'unavailable'), replyJson(200, { bot: testPassport }));

    await clientOf(server.url, {
      onRequest: (info) => told.request.push(info),
      onResponse: (info) => told.response.push(info),
      onRetry: (info) => told.retry.push(info),
    }).bots.me();

    const attempt = { operationId: 'readOwnBot', method: 'GET', url: `${server.url}/api/v1/bots/me` };
    expect(told.request).toMatchObject([
      { ...attempt, attempt: 1 },
      { ...attempt, attempt: 2 },
    ]);
    expect(told.response).toMatchObject([
      { ...attempt, attempt: 1, status: 503, requestId: 'r-1' },
      { ...attempt, attempt: 2, status: 200 },
    ]);
    expect(told.response.every(({ durationMs }) => durationMs >= 0)).toBe(true);
    expect(told.retry).toMatchObject([{ ...attempt, attempt: 1, waitMs: 125, error: { code: 'unavailable' } }]);
  });

  it('never receive a token, however it is sent', async () => {
    const told: unknown[] = [];
    const see = (info: RequestContext | ResponseContext | RetryContext) =>
      told.push(info, 'headers' in info ? [...info.headers] : []);
    const hooks: Hooks = { onRequest: see, onResponse: see, onRetry: see };
    const server = await serveScript(
      replyJson(201, { bot: testPassport, token: testToken, token_expires_at: testTokenGrant.token_expires_at }),
      replyJson(200, testTokenGrant),
      replyError(500, 'internal_error'),
      replyJson(200, { bot: testPassport }),
    );
    const platform = new AgentPlatform({
      baseUrl: server.url,
      credentials: memoryCredentials(),
      hooks,
      sleep: async () => undefined,
    });

    await platform.register({ handle: 'alice', display_name: 'Alice' });
    await platform.tokens.rotate();
    await platform.bots.me({ headers: { cookie: 'session=secret' } });

    const seen = inspect(told, { depth: 12, maxArrayLength: null, showHidden: true });
    for (const secret of [testToken, rotatedTestToken, 'session=secret']) expect(seen).not.toContain(secret);
    expect(seen).toContain("'authorization', '[hidden]'");
    expect(server.received[2]?.headers.authorization).toBe(`Bearer ${rotatedTestToken}`);
  });

  it.each(['onRequest', 'onResponse', 'onRetry'] as const)(
    '%s that throws causes a warning, and the call continues',
    async (name) => {
      const server = await serveScript(replyError(503, 'unavailable'), replyJson(200, { bot: testPassport }));
      const warned = once(process, 'warning');
      const platform = clientOf(server.url, {
        [name]: () => {
          throw new Error(`broken ${name}`);
        },
      });

      expect(await platform.bots.me()).toEqual(testPassport);
      expect(await warned).toMatchObject([
        { name: 'AgentPlatformHookWarning', message: expect.stringContaining(`broken ${name}`) },
      ]);
    },
  );

  it('that reject later also cause a warning', async () => {
    const server = await serveScript(replyJson(200, { bot: testPassport }));
    const warned = once(process, 'warning');

    await clientOf(server.url, {
      onResponse: async () => {
        throw new Error('broken later');
      },
    }).bots.me();

    expect(await warned).toMatchObject([{ message: expect.stringContaining('broken later') }]);
  });
});
