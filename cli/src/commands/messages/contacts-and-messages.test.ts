import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { folderState } from '@agent-platform/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, type Machine, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { startChild } from '../../../testing/child.ts';

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let machine: Machine;

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  await machine.data(['register', '--handle', 'alice', '--display-name', 'Alice', '--public']);
  await machine.data(['register', '--handle', 'bob', '--display-name', 'Bob', '--public']);
  await machine.data(['register', '--handle', 'carol', '--display-name', 'Carol']);
  await machine.data(['contacts', 'request', 'bob', ...asAlice]);
  await machine.data(['contacts', 'accept', 'alice', ...asBob]);
});
afterAll(() => server.stop());

const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob'];
const asCarol = ['--profile', 'carol'];

function listOf(data: Json, name: string): readonly Json[] {
  const list = data[name];
  if (!Array.isArray(list)) throw new Error(`There is no list ${name}.`);
  return list;
}

function linesOf(stdout: string): readonly Json[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Starts `events listen`; returns a function that ends it and returns its output. */
function listen(words: readonly string[]): () => Promise<{ exitCode: number; events: readonly Json[] }> {
  const ending = new AbortController();
  const running = machine.run(['events', 'listen', ...words], { signal: ending.signal });
  return async () => {
    ending.abort(new Error('enough'));
    const { exitCode, stdout } = await running;
    return { exitCode, events: linesOf(stdout).filter(({ event_id }) => event_id !== undefined) };
  };
}

const waiting = async (who: readonly string[]) =>
  listOf(await machine.data(['events', 'list', ...who]), 'events').map(({ event }) => event);

it('sends a contact request by handle, shows it to the other agent, and blocks permanently', async () => {
  const { id: aliceId } = await machine.data(['me', 'show', ...asAlice]);
  expect(await machine.data(['contacts', 'request', String(aliceId), ...asCarol])).toMatchObject({
    status: 'outgoing',
    peer: { handle: 'alice' },
  });
  const shown = await machine.runOnTerminal(['contacts', 'list', ...asAlice]);
  expect(shown.stdout).toMatch(/carol +Carol +incoming/);

  expect(await machine.data(['contacts', 'block', 'carol', '--yes', ...asAlice])).toMatchObject({ status: 'blocked' });
  expect(await machine.error(['contacts', 'request', String(aliceId), ...asCarol])).toMatchObject({
    code: 'contact_blocked',
    exitCode: 3,
  });
  expect(await machine.error(['contacts', 'request', 'nobody_here', ...asCarol])).toMatchObject({
    code: 'agent_not_found',
    exitCode: 4,
  });
});

it('shows the same fingerprints to both agents', async () => {
  const alice = await machine.data(['contacts', 'fingerprint', 'bob', ...asAlice]);
  const bob = await machine.data(['contacts', 'fingerprint', 'alice', ...asBob]);

  expect([alice['fingerprint'], alice['own_fingerprint']]).toEqual([bob['own_fingerprint'], bob['fingerprint']]);
  expect(await machine.error(['contacts', 'fingerprint', 'bob', '--trust', 'abcd', ...asAlice])).toMatchObject({
    code: 'invalid_option',
  });
});

it('sends a text from stdin, and opens it for both agents', async () => {
  const sent = await machine.data(['messages', 'send', 'bob', '--text-file', '-', ...asAlice], {
    stdin: 'Two lines,\nsealed \u{1f512}\n',
  });
  const text = 'Two lines,\nsealed \u{1f512}';
  expect(await machine.error(['messages', 'show', 'alice', randomUUID(), ...asBob])).toMatchObject({
    code: 'message_not_found',
    exitCode: 4,
  });
  expect(await machine.data(['messages', 'show', 'alice', String(sent['id']), ...asBob])).toMatchObject({
    direction: 'received',
    text,
    error: null,
  });
  const own = await machine.data(['messages', 'list', 'bob', ...asAlice]);
  expect(listOf(own, 'messages')[0]).toMatchObject({ direction: 'sent', text, id: sent['id'] });
  const page = await machine.runOnTerminal(['messages', 'list', 'alice', ...asBob]);
  expect(page.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}alice {2}Two lines,\n +sealed/m);
});

it('rejects a long text and an unknown friend before sending', async () => {
  expect(await machine.error(['messages', 'send', 'bob', 'x'.repeat(8_001), ...asAlice])).toMatchObject({
    code: 'plaintext_too_long',
    exitCode: 6,
  });
  expect(await machine.error(['messages', 'send', 'bob', ...asAlice])).toMatchObject({ code: 'usage' });
  expect(await machine.error(['messages', 'send', 'bob', 'x', '--text-file', '-', ...asAlice])).toMatchObject({
    code: 'usage',
  });
  expect(await machine.error(['messages', 'send', 'nobody_here', 'x', ...asAlice])).toMatchObject({
    code: 'contact_not_found',
    exitCode: 4,
    message: 'There is no contact with "nobody_here".',
    hint: expect.stringContaining('agentp contacts request nobody_here'),
  });
});

it('stores received events in the inbox, leases, finishes and replays them', async () => {
  const stop = listen(['--open', ...asBob]);
  const { id } = await machine.data(['messages', 'send', 'bob', 'For the inbox', ...asAlice]);
  await expect
    .poll(() => waiting(asBob))
    .toContainEqual(expect.objectContaining({ payload: expect.objectContaining({ id }) }));
  const { exitCode, events } = await stop();

  expect(exitCode).not.toBe(0);
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'message.created', opened: { text: 'For the inbox', error: null } }),
  );
  const ids = (await waiting(asBob)).map((event) => (event as Json)['event_id']);
  const leased: unknown[] = [];
  for (const _ of ids) {
    const { event, lease_id, attempt } = await machine.data(['events', 'next', '--lease', '60s', ...asBob]);
    const { event_id } = event as Json;
    expect(attempt).toBe(1);
    expect(await machine.error(['events', 'done', String(event_id), '--lease-id', 'other', ...asBob])).toMatchObject({
      code: 'event_not_held',
      exitCode: 5,
    });
    await machine.data(['events', 'done', String(event_id), '--lease-id', String(lease_id), ...asBob]);
    leased.push(event_id);
  }
  expect(leased.toSorted()).toEqual(ids.toSorted());
  expect(await machine.data(['events', 'next', ...asBob])).toEqual({ lease_id: null, attempt: null, event: null });
  expect(await machine.error(['events', 'next', '--wait', '1s', ...asBob])).toMatchObject({
    code: 'wait_timeout',
    exitCode: 13,
  });

  const [first] = ids;
  expect(await machine.data(['events', 'replay', String(first), ...asBob])).toEqual({ event_id: first, waits: true });
  expect(await machine.data(['events', 'next', '--lease', '1s', ...asBob])).toMatchObject({
    event: { event_id: first },
  });
  await machine.data(['events', 'done', String(first), ...asBob]);
  expect(await machine.error(['events', 'replay', String(id), ...asBob])).toMatchObject({
    code: 'event_not_found',
    exitCode: 4,
  });
});

it('supports a chat of two people, and a third terminal with the inbox', async () => {
  const env = { AGENTP_HOME: machine.home, AGENTP_BASE_URL: server.url };
  const alice = startChild(['chat', 'bob', ...asAlice], { env, stdin: undefined });
  const bob = startChild(['chat', 'alice', ...asBob], { env, stdin: undefined });
  const stop = listen(asBob);
  const textsOf = (child: typeof alice) =>
    linesOf(child.written.stdout.slice(0, child.written.stdout.lastIndexOf('\n') + 1)).map(({ text }) => text);
  await expect.poll(() => alice.written.stderr + bob.written.stderr).toMatch(/Chat with.*Chat with/s);

  alice.type('Hello, Bob\n');
  await expect.poll(() => textsOf(bob)).toContain('Hello, Bob');
  bob.type('Hello, Alice\nHow are you?\n');
  await expect.poll(() => textsOf(alice).slice(-2)).toEqual(['Hello, Alice', 'How are you?']);
  alice.kill('SIGINT');
  bob.kill('SIGINT');
  expect([await alice.ended, await bob.ended]).toEqual([130, 130]);
  const { events } = await stop();

  expect(events.map(({ kind }) => kind)).toContain('message.created');
  // Messages that were shown are finished and no longer wait.
  expect(await waiting(asBob)).toEqual([]);
});

it('sends each line of a pipe, and fails at the end if one was not sent', async () => {
  const { exitCode, stdout, stderr } = await machine.run(['chat', 'bob', ...asAlice], {
    stdin: `${'x'.repeat(8_001)}\nAfter the long line\n`,
  });

  expect(linesOf(stdout).slice(-2)).toMatchObject([
    { text: 'After the long line' },
    { ok: false, error: { code: 'plaintext_too_long' } },
  ]);
  expect([exitCode, stderr]).toEqual([6, expect.stringContaining('agentp: not sent: ')]);
});

it('shows, in lists and events, the error code of an envelope that was already read under another id', async () => {
  const sent = await machine.data(['messages', 'send', 'bob', 'Once more', ...asAlice]);
  const bobId = String(sent['recipient_id']);
  const state = folderState(join(machine.home, 'state', bobId));
  const { nonces } = await state.open({ origin: server.url, bot_id: bobId });
  const { sender_public_key, nonce } = sent;
  const earlier = {
    direction: 'received',
    message_id: randomUUID(),
    ciphertext_sha256: '',
    at_ms: Date.now(),
  } as const;
  await nonces.remember([{ ...earlier, peer_key: String(sender_public_key), nonce: String(nonce) }]);
  await state.close();

  const list = await machine.data(['messages', 'list', 'alice', ...asBob]);
  const error = expect.objectContaining({ code: 'replayed_envelope' });
  expect(listOf(list, 'messages')[0]).toMatchObject({ id: sent['id'], text: null, error });
  const page = await machine.runOnTerminal(['messages', 'list', 'alice', ...asBob]);
  expect(page.stdout).toContain('[not opened: replayed_envelope]');
  const stop = listen(['--open', ...asBob]);
  await expect
    .poll(() => waiting(asBob))
    .toContainEqual(expect.objectContaining({ payload: expect.objectContaining({ id: sent['id'] }) }));
  expect((await stop()).events).toContainEqual(expect.objectContaining({ opened: { text: null, error } }));
});
