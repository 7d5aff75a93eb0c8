import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answerer, answering, json, refusal, saySilence } from '../testing/answering-server.ts';
import {
  credentialFor,
  failureOf,
  grant,
  keyPair,
  nextToken,
  passport,
  registeredAt,
  token,
} from '../testing/records.ts';
import { AgentPlatform } from './agent-platform.ts';
import { type Credential, type CredentialStore, memoryCredentials } from './credentials.ts';
import { CredentialError, EnvelopeError, OutcomeUnknownError } from './errors.ts';
import { fileCredentials } from './file-credentials.ts';

const fields = { handle: 'alice', display_name: 'Alice' };
const registered = json(201, { bot: passport, token, token_expires_at: '2026-12-21T09:03:24.250Z' });

/** A store that tells in which order it was used, and fails where it is told to. */
function recorded(initial: Credential | undefined, failing: readonly (keyof CredentialStore)[] = []) {
  const inner = memoryCredentials(initial);
  const calls: string[] = [];
  const note = async <T>(name: keyof CredentialStore, work: Promise<T>): Promise<T> => {
    calls.push(name);
    await work;
    if (failing.includes(name)) throw new Error(`no ${name}`);
    return work;
  };
  const store: CredentialStore = {
    load: () => note('load', inner.load()),
    save: (credential) => note('save', failing.includes('save') ? Promise.resolve() : inner.save(credential)),
    check: () => note('check', inner.check()),
  };
  return { store, calls, inner };
}

/** Notes in the same list that a request came. */
function noting(calls: string[], answerer: Answerer): Answerer {
  return (response, request) => {
    calls.push('request');
    answerer(response, request);
  };
}

describe('registering', () => {
  it('checks the store, asks, saves, and only then returns', async () => {
    const { store, calls, inner } = recorded(undefined);
    const server = await answering(noting(calls, registered));

    const { data, response } = await new AgentPlatform({ baseUrl: server.url, credentials: store })
      .register({ ...fields, specialty: 'law', keyPair })
      .withResponse();

    expect(calls).toEqual(['load', 'check', 'request', 'save']);
    expect(data).toEqual({ bot: passport, token_expires_at: '2026-12-21T09:03:24.250Z' });
    expect(response.status).toBe(201);
    expect({ ...(await inner.load()) }).toEqual(credentialFor(server.url));
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      ...fields,
      specialty: 'law',
      encryption_public_key: keyPair.publicKey,
    });
    expect(server.received[0]?.headers.authorization).toBeUndefined();
  });

  it('makes a key pair of its own and never sends the secret half', async () => {
    const credentials = memoryCredentials();
    const server = await answering(registered);

    await new AgentPlatform({ baseUrl: server.url, credentials }).register(fields);

    const saved = await credentials.load();
    expect(JSON.parse(server.received[0]?.body ?? '').encryption_public_key).toBe(saved?.encryption_public_key);
    expect(server.received[0]?.body).not.toContain(saved?.encryption_secret_key);
  });

  it('gives a working client at once, and a file that the next process can use', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'custody-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'agents', 'alice.json');
    const server = await answering(registered, json(200, { bot: passport }));
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: fileCredentials(path) });

    await platform.register(fields);
    await platform.bots.me();
    await new AgentPlatform({ baseUrl: server.url, credentials: fileCredentials(path) }).bots.me();

    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ token, origin: server.url });
    expect(server.received.slice(1).map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
    ]);
  });

  it('sends nothing when the store would not take the credential', async () => {
    const { store } = recorded(undefined, ['check']);
    const server = await answering(registered);

    await expect(new AgentPlatform({ baseUrl: server.url, credentials: store }).register(fields)).rejects.toThrow(
      'no check',
    );
    expect(server.received).toEqual([]);
  });

  it('sends nothing when the store already holds an agent: its keys would be lost', async () => {
    const server = await answering(registered);
    const stores = [registeredAt(server.url), memoryCredentials(credentialFor(server.url, { token: null }))];

    for (const credentials of stores) {
      const error = await failureOf(new AgentPlatform({ baseUrl: server.url, credentials }).register(fields));
      expect(error).toMatchObject({ code: 'credential_exists' });
    }
    expect(server.received).toEqual([]);
  });

  it('sends nothing with a key pair that is none', async () => {
    const server = await answering(registered);
    const wrong = { publicKey: passport.encryption_public_key, secretKey: 'A'.repeat(43).concat('=') };

    const error = await failureOf(new AgentPlatform({ baseUrl: server.url }).register({ ...fields, keyPair: wrong }));

    expect(error).toBeInstanceOf(EnvelopeError);
    expect(server.received).toEqual([]);
  });

  it('hands the credential over when it could not be saved', async () => {
    const { store } = recorded(undefined, ['save']);
    const server = await answering(registered);

    const error = await failureOf(
      new AgentPlatform({ baseUrl: server.url, credentials: store }).register({ ...fields, keyPair }),
    );

    expect(error).toBeInstanceOf(CredentialError);
    expect(error).toMatchObject({ code: 'credential_not_saved', cause: new Error('no save') });
    expect(error instanceof CredentialError && { ...error.credential }).toEqual(credentialFor(server.url));
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain(token);
  });

  it('keeps the token of a server that says little else', async () => {
    const credentials = memoryCredentials();
    const server = await answering(json(201, { bot: { id: 'b-1' }, token: 'opaque' }));

    const { token_expires_at } = await new AgentPlatform({ baseUrl: server.url, credentials }).register(fields);

    expect(token_expires_at).toBeNull();
    expect(await credentials.load()).toMatchObject({
      bot_id: 'b-1',
      handle: 'alice',
      token: 'opaque',
      token_expires_at: null,
    });
  });

  it('lets two calls at once not overwrite each other', async () => {
    const credentials = memoryCredentials();
    const server = await answering(registered);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });

    const results = await Promise.allSettled([platform.register(fields), platform.register(fields)]);

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(server.received).toHaveLength(1);
  });
});

describe('rotating', () => {
  it('checks the store, asks, saves, and only then returns', async () => {
    const calls: string[] = [];
    const server = await answering(noting(calls, json(200, grant)), json(200, { bot: passport }));
    const { store, calls: storeCalls, inner } = recorded(credentialFor(server.url));
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: store });

    expect(await platform.tokens.rotate()).toEqual({ token_expires_at: grant.token_expires_at });
    await platform.bots.me();

    expect([...storeCalls.slice(0, 2), ...calls, ...storeCalls.slice(2)]).toEqual(['load', 'check', 'request', 'save']);
    expect(await inner.load()).toMatchObject({ token: nextToken, token_expires_at: grant.token_expires_at });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${nextToken}`,
    ]);
    expect(server.received[0]).toMatchObject({ method: 'POST', path: '/api/v1/tokens/rotate', body: '' });
  });

  it('hands the new credential over when it could not be saved, and goes on with it', async () => {
    const server = await answering(json(200, grant), json(200, { bot: passport }));
    const { store } = recorded(credentialFor(server.url), ['save']);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: store });

    const error = await failureOf(platform.tokens.rotate());
    await platform.bots.me();

    expect(error).toMatchObject({ code: 'credential_not_saved' });
    expect(error instanceof CredentialError && error.credential?.token).toBe(nextToken);
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String(error)).not.toContain(
      nextToken,
    );
    expect(server.received[1]?.headers.authorization).toBe(`Bearer ${nextToken}`);
  });

  it('leaves the credential as it is when the answer is lost', async () => {
    const credentials = memoryCredentials();
    const server = await answering(saySilence);
    await credentials.save(credentialFor(server.url));

    const error = await failureOf(
      new AgentPlatform({ baseUrl: server.url, credentials }).tokens.rotate({ timeoutMs: 50 }),
    );

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(await credentials.load()).toMatchObject({ token });
  });

  it('begins with what the store holds, which another process may have changed', async () => {
    const credentials = memoryCredentials();
    const server = await answering(json(200, { bot: passport }), json(200, grant));
    await credentials.save(credentialFor(server.url));
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });
    await platform.bots.me();

    await credentials.save(credentialFor(server.url, { token: 'from-another-process' }));
    await platform.tokens.rotate();

    expect(server.received[1]?.headers.authorization).toBe('Bearer from-another-process');
  });

  it('lets a call that was refused meanwhile wait for the new token', async () => {
    const bearers: (string | undefined)[] = [];
    let finishRotation: () => void = () => undefined;
    const server = await answering((response, request) => {
      const { authorization } = request.headers;
      bearers.push(authorization);
      if (request.url?.endsWith('/rotate')) finishRotation = () => json(200, grant)(response, request);
      else if (authorization === `Bearer ${nextToken}`) json(200, { bot: passport })(response, request);
      else {
        refusal(401, 'unauthorized')(response, request);
        setImmediate(finishRotation);
      }
    });
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: registeredAt(server.url) });
    const rotating = platform.tokens.rotate();
    await expect.poll(() => bearers.length).toBe(1);

    expect(await platform.bots.me()).toEqual(passport);
    await rotating;
    expect(bearers).toEqual([`Bearer ${token}`, `Bearer ${token}`, `Bearer ${nextToken}`]);
  });

  it('happens once after the other when it is asked for twice', async () => {
    const server = await answering(json(200, grant), json(200, { ...grant, token: 'third' }));
    const credentials = registeredAt(server.url);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });

    await Promise.all([platform.tokens.rotate(), platform.tokens.rotate()]);

    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${nextToken}`,
    ]);
    expect(await credentials.load()).toMatchObject({ token: 'third' });
  });

  it('is not asked for when it was aborted while it waited for its turn', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const server = await answering(saySilence);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: registeredAt(server.url) });
    const first = failureOf(platform.tokens.rotate({ signal: one.signal }));
    const second = failureOf(platform.tokens.rotate({ signal: two.signal }));

    // The first one is silent for as long as it likes; the second does not wait for that.
    two.abort('enough');
    expect(await second).toBe('enough');

    await expect.poll(() => server.received.length).toBe(1);
    one.abort('enough as well');
    expect(await first).toBe('enough as well');
    expect(server.received).toHaveLength(1);
  });

  it('needs a credential before anything is sent', async () => {
    const server = await answering(json(200, grant));

    expect(await failureOf(new AgentPlatform({ baseUrl: server.url }).tokens.rotate())).toMatchObject({
      code: 'no_credential',
    });
    expect(server.received).toEqual([]);
  });
});

describe('revoking', () => {
  it('keeps the keys and drops the token', async () => {
    const server = await answering(json(200, { revoked: true }));
    const credentials = registeredAt(server.url);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials });

    expect(await platform.tokens.revoke()).toEqual({ revoked: true });

    expect({ ...(await credentials.load()) }).toEqual(
      credentialFor(server.url, { token: null, token_expires_at: null }),
    );
    expect(await failureOf(platform.bots.me())).toMatchObject({ code: 'no_credential' });
    expect(server.received).toHaveLength(1);
  });

  it('changes nothing when it is refused', async () => {
    const server = await answering(refusal(403, 'forbidden'));
    const credentials = registeredAt(server.url);

    expect(await failureOf(new AgentPlatform({ baseUrl: server.url, credentials }).tokens.revoke())).toMatchObject({
      code: 'forbidden',
    });
    expect(await credentials.load()).toMatchObject({ token });
  });
});
