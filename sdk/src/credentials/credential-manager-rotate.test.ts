import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeRecordingStore, recordRequests } from '../../testing/recorded-store.ts';
import {
  credentialFor,
  failureOf,
  makeCredentialStore,
  rotatedTestToken,
  testPassport,
  testToken,
  testTokenGrant,
} from '../../testing/records.ts';
import { neverRespond, replyError, replyJson, serveScript } from '../../testing/scripted-server.ts';
import { AgentPlatform } from '../agent-platform.ts';
import { CredentialError, OutcomeUnknownError } from '../errors.ts';
import { memoryCredentials } from './credential-store.ts';

describe('rotating', () => {
  it('checks the store, sends the request, saves the result, and only then returns', async () => {
    const { store, calls, inner } = makeRecordingStore(undefined);
    const server = await serveScript(
      recordRequests(calls, replyJson(200, testTokenGrant)),
      replyJson(200, { bot: testPassport }),
    );
    await inner.save(credentialFor(server.url));
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: store });

    expect(await platform.tokens.rotate()).toEqual({ token_expires_at: testTokenGrant.token_expires_at });
    await platform.bots.me();

    expect(calls).toEqual(['load', 'check', 'request', 'save']);
    expect(await inner.load()).toMatchObject({
      token: rotatedTestToken,
      token_expires_at: testTokenGrant.token_expires_at,
    });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${testToken}`,
      `Bearer ${rotatedTestToken}`,
    ]);
    expect(server.received[0]).toMatchObject({ method: 'POST', path: '/api/v1/tokens/rotate', body: '' });
  });

  it('returns the new credential when it could not be saved, and continues with it', async () => {
    const server = await serveScript(replyJson(200, testTokenGrant), replyJson(200, { bot: testPassport }));
    const { store } = makeRecordingStore(credentialFor(server.url), ['save']);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: store });

    const error = await failureOf(platform.tokens.rotate());
    await platform.bots.me();

    expect(error).toMatchObject({ code: 'credential_not_saved' });
    expect(error instanceof CredentialError && error.credential?.token).toBe(rotatedTestToken);
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String(error)).not.toContain(
      rotatedTestToken,
    );
    expect(server.received[1]?.headers.authorization).toBe(`Bearer ${rotatedTestToken}`);
  });

  it('leaves the credential unchanged when the response is lost', async () => {
    const credentials = memoryCredentials();
    const server = await serveScript(neverRespond);
    await credentials.save(credentialFor(server.url));

    const error = await failureOf(
      new AgentPlatform({ baseUrl: server.url, credentials }).tokens.rotate({ timeoutMs: 1_000 }),
    );

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(await credentials.load()).toMatchObject({ token: testToken });
  });

  it('starts from the stored credential, which another process may have changed', async () => {
    const credentials = memoryCredentials();
    const server = await serveScript(replyJson(200, { bot: testPassport }), replyJson(200, testTokenGrant));
    await credentials.save(credentialFor(server.url));
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });
    await platform.bots.me();

    await credentials.save(credentialFor(server.url, { token: 'from-another-process' }));
    await platform.tokens.rotate();

    expect(server.received[1]?.headers.authorization).toBe('Bearer from-another-process');
  });

  it('makes a concurrently refused call wait for the new token', async () => {
    const bearers: (string | undefined)[] = [];
    let finishRotation: () => void = () => undefined;
    const server = await serveScript((response, request) => {
      const { authorization } = request.headers;
      bearers.push(authorization);
      if (request.url?.endsWith('/rotate')) finishRotation = () => replyJson(200, testTokenGrant)(response, request);
      else if (authorization === `Bearer ${rotatedTestToken}`) replyJson(200, { bot: testPassport })(response, request);
      else {
        replyError(401, 'unauthorized')(response, request);
        setImmediate(finishRotation);
      }
    });
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: makeCredentialStore(server.url) });
    const rotating = platform.tokens.rotate();
    await expect.poll(() => bearers.length).toBe(1);

    expect(await platform.bots.me()).toEqual(testPassport);
    await rotating;
    expect(bearers).toEqual([`Bearer ${testToken}`, `Bearer ${testToken}`, `Bearer ${rotatedTestToken}`]);
  });

  it('runs twice in sequence when it is called twice', async () => {
    const server = await serveScript(
      replyJson(200, testTokenGrant),
      replyJson(200, { ...testTokenGrant, token: 'third' }),
    );
    const credentials = makeCredentialStore(server.url);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });

    await Promise.all([platform.tokens.rotate(), platform.tokens.rotate()]);

    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${testToken}`,
      `Bearer ${rotatedTestToken}`,
    ]);
    expect(await credentials.load()).toMatchObject({ token: 'third' });
  });

  it('sends no request when it was aborted while it waited for its turn', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const server = await serveScript(neverRespond);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: makeCredentialStore(server.url) });
    const first = failureOf(platform.tokens.rotate({ signal: one.signal }));
    const second = failureOf(platform.tokens.rotate({ signal: two.signal }));

    // The first call never gets a response. Aborting the second call ends its wait for the first.
    two.abort('enough');
    expect(await second).toBe('enough');

    await expect.poll(() => server.received.length).toBe(1);
    one.abort('enough as well');
    expect(await first).toBe('enough as well');
    expect(server.received).toHaveLength(1);
  });

  it('needs a credential before anything is sent', async () => {
    const server = await serveScript(replyJson(200, testTokenGrant));

    expect(await failureOf(new AgentPlatform({ baseUrl: server.url }).tokens.rotate())).toMatchObject({
      code: 'no_credential',
    });
    expect(server.received).toEqual([]);
  });
});

describe('revoking', () => {
  it('keeps the keys and drops the token', async () => {
    const server = await serveScript(replyJson(200, { revoked: true }));
    const credentials = makeCredentialStore(server.url);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });

    expect(await platform.tokens.revoke()).toEqual({ revoked: true });

    expect({ ...(await credentials.load()) }).toEqual(
      credentialFor(server.url, { token: null, token_expires_at: null }),
    );
    expect(await failureOf(platform.bots.me())).toMatchObject({ code: 'no_credential' });
    expect(server.received).toHaveLength(1);
  });

  it('changes nothing when it is refused', async () => {
    const server = await serveScript(replyError(403, 'forbidden'));
    const credentials = makeCredentialStore(server.url);

    expect(await failureOf(new AgentPlatform({ baseUrl: server.url, credentials }).tokens.revoke())).toMatchObject({
      code: 'forbidden',
    });
    expect(await credentials.load()).toMatchObject({ token: testToken });
  });
});
