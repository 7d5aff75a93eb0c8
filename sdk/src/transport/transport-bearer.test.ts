import { describe, expect, it } from 'vitest';
import { makeTestClient, replyPassport } from '../../testing/client.ts';
import { credentialFor, failureOf, makeCredentialStore, rotatedTestToken, testToken } from '../../testing/records.ts';
import { replyError, replyJson, replyText, serveScript } from '../../testing/scripted-server.ts';

import { memoryCredentials } from '../credentials/credential-store.ts';
import { ConnectionError } from '../errors.ts';

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is refused, and the token is not sent to its target', async (status) => {
    const other = await serveScript(replyPassport);
    const server = await serveScript(replyText(status, '', { location: `${other.url}/elsewhere` }));

    const error = await failureOf(makeTestClient(server.url).bots.me());

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'redirect_refused' });
    expect(String(error)).toContain(`${other.url}/elsewhere`);
    expect(other.received).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  it('on the same origin is also refused', async () => {
    const server = await serveScript(replyText(308, '', { location: '/api/v1/bots/me/' }));

    expect(await failureOf(makeTestClient(server.url, { fetch: globalThis.fetch }).bots.me())).toMatchObject({
      code: 'redirect_refused',
    });
    expect(server.received).toHaveLength(1);
  });
});

describe('the token', () => {
  it('is sent to the origin of its credential, in the header', async () => {
    const server = await serveScript(replyPassport);

    await makeTestClient(server.url).bots.me();

    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${testToken}`);
    expect(server.received[0]?.path).toBe('/api/v1/bots/me');
  });

  it('is sent to no other origin, not even another port of the same host', async () => {
    const server = await serveScript(replyPassport);
    const credentials = makeCredentialStore('http://127.0.0.1:1');

    const error = await failureOf(makeTestClient(server.url, { credentials }).bots.me());

    expect(error).toMatchObject({ code: 'wrong_origin' });
    expect(server.received).toEqual([]);
  });

  it('is not sent where none is needed', async () => {
    const server = await serveScript(replyJson(200, { status: 'ok' }));

    await makeTestClient(server.url).health.live();

    expect(server.received[0]?.headers.authorization).toBeUndefined();
  });

  it('is required before anything is sent', async () => {
    const server = await serveScript(replyPassport);
    const none = memoryCredentials();
    const revoked = memoryCredentials(credentialFor(server.url, { token: null }));

    expect(await failureOf(makeTestClient(server.url, { credentials: none }).bots.me())).toMatchObject({
      code: 'no_credential',
    });
    expect(await failureOf(makeTestClient(server.url, { credentials: revoked }).bots.me())).toMatchObject({
      code: 'no_credential',
    });
    expect(server.received).toEqual([]);
  });
});

describe('a refused token', () => {
  it('is replaced by the one that another process has stored, once, for every operation', async () => {
    const credentials = memoryCredentials();
    const server = await serveScript(replyPassport, replyError(401, 'unauthorized'), replyPassport);
    await credentials.save(credentialFor(server.url));
    const platform = makeTestClient(server.url, { credentials });
    await platform.bots.me();

    await credentials.save(credentialFor(server.url, { token: rotatedTestToken }));
    await platform.bots.updateMe({ bio: 'new' });

    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${testToken}`,
      `Bearer ${testToken}`,
      `Bearer ${rotatedTestToken}`,
    ]);
  });

  it('is finally refused when the new one is refused too', async () => {
    const credentials = memoryCredentials();
    const server = await serveScript(replyPassport, replyError(401, 'unauthorized'));
    await credentials.save(credentialFor(server.url));
    const platform = makeTestClient(server.url, { credentials });
    await platform.bots.me();

    await credentials.save(credentialFor(server.url, { token: rotatedTestToken }));

    expect(await failureOf(platform.bots.me())).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(server.received).toHaveLength(3);
  });

  it('is replaced at most eight times by a store that has another one each time', async () => {
    let loads = 0;
    const server = await serveScript(replyError(401, 'unauthorized'));
    const credentials = {
      ...memoryCredentials(),
      load: async () => {
        loads += 1;
        return credentialFor(server.url, { token: `token-${loads}` });
      },
    };

    expect(await failureOf(makeTestClient(server.url, { credentials }).bots.me())).toMatchObject({
      code: 'unauthorized',
    });
    expect(server.received).toHaveLength(9);
  });

  it.each([
    ['the same', (url: string) => credentialFor(url)],
    ['that of another agent', (url: string) => credentialFor(url, { token: rotatedTestToken, bot_id: 'other' })],
    ['that of another origin', () => credentialFor('https://other.example', { token: rotatedTestToken })],
    ['none', (url: string) => credentialFor(url, { token: null })],
  ])('stays refused when the stored one is %s', async (_, stored) => {
    const credentials = memoryCredentials();
    const server = await serveScript(replyPassport, replyError(401, 'unauthorized'));
    await credentials.save(credentialFor(server.url));
    const platform = makeTestClient(server.url, { credentials });
    await platform.bots.me();

    await credentials.save(stored(server.url));

    expect(await failureOf(platform.bots.me())).toMatchObject({ code: 'unauthorized' });
    expect(server.received).toHaveLength(2);
  });
});
