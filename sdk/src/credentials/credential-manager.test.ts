import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it } from 'vitest';
import { makeRecordingStore, recordRequests } from '../../testing/recorded-store.ts';
import {
  credentialFor,
  failureOf,
  makeCredentialStore,
  testKeyPair,
  testPassport,
  testToken,
} from '../../testing/records.ts';
import { replyJson, serveScript } from '../../testing/scripted-server.ts';
import { AgentPlatform } from '../agent-platform.ts';
import { CredentialError, EnvelopeError } from '../errors.ts';
import { memoryCredentials } from './credential-store.ts';
import { fileCredentials } from './file-credentials.ts';

const fields = { handle: 'alice', display_name: 'Alice' };
const token_expires_at = '2026-12-21T09:03:24.250Z';
const registered = replyJson(201, { bot: testPassport, token: testToken, token_expires_at });
const nowMs = Date.parse('2026-11-21T09:03:24.000Z');
const now = () => nowMs;
/** The credential that a registration stores. */
const freshCredential = (url: string) =>
  credentialFor(url, { token_expires_at, token_issued_at: new Date(nowMs).toISOString() });

describe('registering', () => {
  it('checks the store, sends the request, saves the result, and only then returns', async () => {
    const { store, calls, inner } = makeRecordingStore(undefined);
    const server = await serveScript(recordRequests(calls, registered));

    const { data, response } = await new AgentPlatform({ baseUrl: server.url, credentials: store, now })
      .register({ ...fields, specialty: 'law', keyPair: testKeyPair })
      .withResponse();

    expect(calls).toEqual(['load', 'check', 'request', 'save']);
    expect(data).toEqual({ bot: testPassport, token_expires_at });
    expect(response.status).toBe(201);
    expect({ ...(await inner.load()) }).toEqual(freshCredential(server.url));
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      ...fields,
      specialty: 'law',
      encryption_public_key: testKeyPair.publicKey,
    });
    expect(server.received[0]?.headers.authorization).toBeUndefined();
  });

  it('creates a key pair and never sends the secret half', async () => {
    const credentials = memoryCredentials();
    const server = await serveScript(registered);

    await new AgentPlatform({ baseUrl: server.url, credentials }).register(fields);

    const saved = await credentials.load();
    expect(JSON.parse(server.received[0]?.body ?? '').encryption_public_key).toBe(saved?.encryption_public_key);
    expect(server.received[0]?.body).not.toContain(saved?.encryption_secret_key);
  });

  it('returns a working client immediately, and a file that the next process can use', async () => {
    const folder = makeTestFolder();
    const path = join(folder, 'agents', 'alice.json');
    const server = await serveScript(registered, replyJson(200, { bot: testPassport }));
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: fileCredentials(path) });

    await platform.register(fields);
    await platform.bots.me();
    await new AgentPlatform({ baseUrl: server.url, credentials: fileCredentials(path) }).bots.me();

    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ token: testToken, origin: server.url });
    expect(server.received.slice(1).map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${testToken}`,
      `Bearer ${testToken}`,
    ]);
  });

  it('sends nothing when the store cannot save the credential', async () => {
    const { store } = makeRecordingStore(undefined, ['check']);
    const server = await serveScript(registered);

    await expect(new AgentPlatform({ baseUrl: server.url, credentials: store }).register(fields)).rejects.toThrow(
      'no check',
    );
    expect(server.received).toEqual([]);
  });

  it('sends nothing when the store already contains an agent, whose keys would be lost', async () => {
    const server = await serveScript(registered);
    const stores = [makeCredentialStore(server.url), memoryCredentials(credentialFor(server.url, { token: null }))];

    for (const credentials of stores) {
      const error = await failureOf(new AgentPlatform({ baseUrl: server.url, credentials }).register(fields));
      expect(error).toMatchObject({ code: 'credential_exists' });
    }
    expect(server.received).toEqual([]);
  });

  it('sends nothing with keys that are not a pair', async () => {
    const server = await serveScript(registered);
    const wrong = { publicKey: testPassport.encryption_public_key, secretKey: 'A'.repeat(43).concat('=') };

    const error = await failureOf(new AgentPlatform({ baseUrl: server.url }).register({ ...fields, keyPair: wrong }));

    expect(error).toBeInstanceOf(EnvelopeError);
    expect(server.received).toEqual([]);
  });

  it('returns the credential in the error when it could not be saved', async () => {
    const { store } = makeRecordingStore(undefined, ['save']);
    const server = await serveScript(registered);

    const error = await failureOf(
      new AgentPlatform({ baseUrl: server.url, credentials: store, now }).register({ ...fields, keyPair: testKeyPair }),
    );

    expect(error).toBeInstanceOf(CredentialError);
    expect(error).toMatchObject({ code: 'credential_not_saved', cause: new Error('no save') });
    expect(error instanceof CredentialError && { ...error.credential }).toEqual(freshCredential(server.url));
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain(testToken);
  });

  it('keeps the token of a server that returns little else', async () => {
    const credentials = memoryCredentials();
    const server = await serveScript(replyJson(201, { bot: { id: 'b-1' }, token: 'opaque' }));

    const { token_expires_at } = await new AgentPlatform({ baseUrl: server.url, credentials }).register(fields);

    expect(token_expires_at).toBeNull();
    expect(await credentials.load()).toMatchObject({
      bot_id: 'b-1',
      handle: 'alice',
      token: 'opaque',
      token_expires_at: null,
    });
  });

  it('prevents two concurrent calls from overwriting each other', async () => {
    const credentials = memoryCredentials();
    const server = await serveScript(registered);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });

    const results = await Promise.allSettled([platform.register(fields), platform.register(fields)]);

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(server.received).toHaveLength(1);
  });
});
