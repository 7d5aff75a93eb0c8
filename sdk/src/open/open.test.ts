import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it, vi } from 'vitest';
import { befriend } from '../../testing/friends.ts';
import { credentialFor, failureOf } from '../../testing/records.ts';
import { useReferenceServer } from '../../testing/reference-server.ts';
import { startRegistrationServer } from '../../testing/registry.ts';
import { getClosedPortUrl } from '../../testing/scripted-server.ts';
import { AgentPlatform, fileCredentials, folderState, type ResumedRequests } from '../index.ts';

const server = useReferenceServer();

describe('the first start', () => {
  it('registers the agent with its profile, and makes all secrets readable only by the owner', async () => {
    const folder = join(makeTestFolder(), 'agents', 'alice');
    const profile = { display_name: 'Alice', bio: 'I read.', profile_public: true };
    const platform = await AgentPlatform.open({ folder, handle: 'alice_open', baseUrl: server.url, ...profile });

    expect(await platform.bots.me()).toMatchObject({ handle: 'alice_open', ...profile });
    await platform.messages.pending();
    expect((await readdir(folder)).toSorted()).toEqual(['credential.json', 'registration.lock', 'state']);
    const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;
    expect(await modeOf('')).toBe(0o700);
    expect(await modeOf('state')).toBe(0o700);
    for (const name of ['credential.json', 'registration.lock', 'state/state.sqlite']) {
      expect(await modeOf(name)).toBe(0o600);
    }
    await platform.close();
    expect(await platform.messages.pending()).toEqual([]);
    await platform.close();
  });

  it('registers once if several clients start at the same time', async () => {
    const folder = makeTestFolder();
    const options = { folder, handle: 'crowd', baseUrl: server.url };

    const opened = await Promise.all(Array.from({ length: 5 }, () => AgentPlatform.open(options)));

    const ids = await Promise.all(opened.map(async ({ bots }) => (await bots.me()).id));
    expect(new Set(ids).size).toBe(1);
    for (const platform of opened) await platform.close();
  });

  it('sends a lost registration again; the handle is only registered once', async () => {
    const { url, ids, received } = await startRegistrationServer('lost', 'answered');
    const folder = makeTestFolder();
    await AgentPlatform.open({ folder, handle: 'alice', baseUrl: url });

    expect((await fileCredentials(join(folder, 'credential.json')).load())?.bot_id).toBe(ids.get('alice'));
    const keys = received.map(({ body }) => JSON.parse(body).encryption_public_key);
    expect(new Set(keys).size).toBe(2);
    expect(await readdir(folder)).not.toContain('registration.json');
  });

  it('reports that a token was in a lost response, at every start until another handle is chosen', async () => {
    const { url, ids } = await startRegistrationServer('answer lost', 'answered');
    const options = { folder: makeTestFolder(), handle: 'alice', baseUrl: url };
    const lost = {
      name: 'CredentialError',
      code: 'registration_lost',
      message: expect.stringMatching(/"alice" .* got no response.* Open the folder with another handle\.$/),
    };

    expect(await failureOf(AgentPlatform.open(options))).toMatchObject(lost);
    expect(await failureOf(AgentPlatform.open(options))).toMatchObject(lost);
    await AgentPlatform.open({ ...options, handle: 'alice2' });
    expect([...ids.keys()]).toEqual(['alice', 'alice2']);
  });

  it('remembers a lost response even when the next attempt is refused for another reason', async () => {
    const { url } = await startRegistrationServer('answer lost', 'limited', 'answered');
    const options = { folder: makeTestFolder(), handle: 'alice', baseUrl: url };

    expect(await failureOf(AgentPlatform.open(options))).toMatchObject({ code: 'registration_limited' });
    expect(await failureOf(AgentPlatform.open(options))).toMatchObject({ code: 'registration_lost' });
  });

  it('counts an invitation that is used up after a lost answer as a registration that took effect', async () => {
    const { url } = await startRegistrationServer('answer lost', 'refused');
    const opening = AgentPlatform.open({
      folder: makeTestFolder(),
      handle: 'alice',
      invitation: 'once',
      baseUrl: url,
    });

    expect(await failureOf(opening)).toMatchObject({ code: 'registration_lost' });
  });

  it('removes the partial file that a killed start left behind', async () => {
    const { url } = await startRegistrationServer('answered');
    const options = { folder: makeTestFolder(), handle: 'alice', baseUrl: url };
    await writeFile(join(options.folder, 'registration.json.0123456789ab.tmp'), '');

    await (await AgentPlatform.open(options)).close();

    expect((await readdir(options.folder)).toSorted()).toEqual(['credential.json', 'registration.lock', 'state']);
  });

  it('leaves no pending registration when the server refused it', async () => {
    const { url } = await startRegistrationServer('refused', 'answered');
    const options = { folder: makeTestFolder(), handle: 'alice', baseUrl: url };

    expect(await failureOf(AgentPlatform.open(options))).toMatchObject({ code: 'invalid_invitation' });
    await AgentPlatform.open(options);
    const other = { ...options, folder: makeTestFolder() };
    for (const _ of [1, 2]) {
      expect(await failureOf(AgentPlatform.open(other))).toMatchObject({
        name: 'ApiError',
        code: 'handle_unavailable',
      });
    }
  });

  it('explains what to do when no attempt gets a response, and when no server listens', async () => {
    const { url, received } = await startRegistrationServer('lost');
    const folder = makeTestFolder();
    expect(await failureOf(AgentPlatform.open({ folder, handle: 'alice', baseUrl: url }))).toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('Start the program again'),
    });
    expect(received).toHaveLength(3);

    const options = { folder: makeTestFolder(), handle: 'alice', baseUrl: await getClosedPortUrl(), maxRetries: 0 };
    expect(await failureOf(AgentPlatform.open(options))).toMatchObject({ code: 'connection_failed' });
    expect(await readdir(options.folder)).toEqual(['registration.lock']);
  });
});

describe('a folder', () => {
  const baseUrl = 'https://platform.example';

  async function folderOf(change: object = {}): Promise<string> {
    const folder = makeTestFolder();
    await fileCredentials(join(folder, 'credential.json')).save(credentialFor(baseUrl, change));
    return folder;
  }

  it.each([
    [{ handle: 'alicia' }, {}, 'wrong_handle', /contains the agent "alice", not "alicia"\. .* with the handle "alice"/],
    [
      { baseUrl: 'https://other.example' },
      {},
      'wrong_origin',
      /of https:\/\/platform\.example.* with the baseUrl https:\/\/platform\.example\.$/,
    ],
    [{}, { token: null }, 'no_credential', /was revoked and cannot be recovered/],
  ])('is refused for %j if it contains alice with %j', async (wanted, held, code, message) => {
    const opening = AgentPlatform.open({ folder: await folderOf(held), handle: 'alice', baseUrl, ...wanted });

    expect(await failureOf(opening)).toMatchObject({
      name: 'CredentialError',
      code,
      message: expect.stringMatching(message),
    });
  });

  it('with a state but without a credential is refused before anything is sent', async () => {
    const { url, received } = await startRegistrationServer('answered');
    const options = { folder: makeTestFolder(), handle: 'alice', baseUrl: url };
    await (await AgentPlatform.open(options)).close();
    await rm(join(options.folder, 'credential.json'));

    expect(await failureOf(AgentPlatform.open(options))).toMatchObject({
      code: 'no_credential',
      message: expect.stringContaining('Restore that file from a backup'),
    });
    expect(received).toHaveLength(1);
  });

  it('that other users can read keeps its mode; its credential must be private', async () => {
    const folder = await folderOf();
    await chmod(folder, 0o755);
    await (await AgentPlatform.open({ folder, handle: 'alice', baseUrl })).close();
    await chmod(join(folder, 'credential.json'), 0o644);

    expect((await stat(folder)).mode & 0o777).toBe(0o755);
    expect(await failureOf(AgentPlatform.open({ folder, handle: 'alice', baseUrl }))).toMatchObject({
      code: 'credential_unreadable',
    });
  });

  it('that is a file, or that cannot be written, is refused', async () => {
    const place = makeTestFolder();
    await writeFile(join(place, 'file'), '');
    const opening = AgentPlatform.open({ folder: join(place, 'file', 'alice'), handle: 'alice', baseUrl });

    expect(await failureOf(opening)).toMatchObject({ code: 'credential_unreadable' });
  });
});

describe('a later start', () => {
  /** Returns the folder of an agent whose message and order command have unknown outcomes. */
  async function interrupted(name: string) {
    const options = { folder: makeTestFolder(), handle: `${name}_sends`, baseUrl: server.url };
    const alice = await AgentPlatform.open(options);
    const bob = await AgentPlatform.open({ ...options, folder: makeTestFolder(), handle: `${name}_gets` });
    await befriend(alice, bob);
    const bobId = (await bob.bots.me()).id;
    await alice.close();
    const credentials = fileCredentials(join(options.folder, 'credential.json'));
    const state = folderState(join(options.folder, 'state'));
    const key = (await alice.contacts.list()).contacts[0]?.peer;
    const offline = new AgentPlatform({
      baseUrl: server.url,
      credentials,
      state,
      maxRetries: 0,
      fetch: () => Promise.reject(new Error('reset')),
    });
    if (key === undefined) throw new Error('There is no contact.');
    await failureOf(offline.messages.send(key, 'Hello'));
    const deadline = new Date(Date.now() + 3_600_000).toISOString();
    await failureOf(offline.orders.create({ customer_id: bobId, title: 'Work', deadline, amount_minor: 100 }));
    await offline.close();
    return { options, alice, bob };
  }

  it('resends the requests of an earlier run before it resolves, and reports them', async () => {
    const { options, bob } = await interrupted('first');
    const reported: ResumedRequests[] = [];

    const again = await AgentPlatform.open({ ...options, onResumed: (resumed) => reported.push(resumed) });

    expect(reported).toMatchObject([{ messages: [{ outcome: 'sent' }], operations: [{ outcome: 'done' }] }]);
    expect((await bob.messages.list(options.handle)).messages).toMatchObject([{ text: 'Hello' }]);
    expect((await bob.orders.list()).orders).toMatchObject([{ title: 'Work' }]);
    await again.close();
    const third = await AgentPlatform.open({ ...options, onResumed: (resumed) => reported.push(resumed) });
    expect(reported).toHaveLength(1);
    await third.close();
  });

  it('warns of resent requests that the server refuses, unless the program sets onResumed', async () => {
    const { options, alice, bob } = await interrupted('second');
    const [contact] = (await bob.contacts.list()).contacts;
    await bob.contacts.block(contact?.contact_id ?? '');
    await alice.close();
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const again = await AgentPlatform.open(options);

    const warnings = warn.mock.calls.map(([text]) => String(text));
    warn.mockRestore();
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^The server refused the message .* It is not retried\.$/);
    expect(warnings[1]).toMatch(/^The server refused "createOrder" with the operation id/);
    await again.close();
  });

  it('succeeds while the server is down; pending requests stay stored', async () => {
    const { options } = await interrupted('third');
    const reported: ResumedRequests[] = [];
    const down = async () => {
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    };
    const onResumed = (resumed: ResumedRequests) => reported.push(resumed);
    const platform = await AgentPlatform.open({ ...options, fetch: down, maxRetries: 0, onResumed });

    expect(reported).toMatchObject([{ messages: [{ outcome: 'pending' }], operations: [{ outcome: 'pending' }] }]);
    expect(await platform.messages.pending()).toHaveLength(1);
    expect(await platform.orders.pending()).toHaveLength(1);
    await platform.close();
  });

  it('opens a folder that an early version of the examples created', async () => {
    const folder = makeTestFolder();
    await mkdir(join(folder, 'state'));
    const credentials = fileCredentials(join(folder, 'credential.json'));
    const before = new AgentPlatform({ baseUrl: server.url, credentials, state: folderState(join(folder, 'state')) });
    const { bot } = await before.register({ handle: 'veteran', display_name: 'veteran' });
    expect(await before.messages.pending()).toEqual([]);

    const platform = await AgentPlatform.open({ folder, handle: 'veteran', baseUrl: server.url });
    expect((await platform.bots.me()).id).toBe(bot.id);
    await platform.close();
  });
});
