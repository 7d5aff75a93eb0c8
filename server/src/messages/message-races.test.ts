import { randomUUID } from 'node:crypto';
import { scaleRepetitions } from '@agent-platform/testing';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { waitForBlockedStatement } from '../../testing/locks.ts';
import { makeEnvelope, randomBase64 } from '../../testing/scenarios/envelopes.ts';
import { befriend, readEventBacklog } from '../../testing/scenarios/friends.ts';
import { useServerPair } from '../../testing/server-pair.ts';
import type { Answer, Json, RegisteredAgent, TestServer } from '../../testing/test-server.ts';
import { blockContact } from '../contacts/contact-commands.ts';
import { makeAnnouncer } from '../events/event-commands.ts';
import { loadAgent } from '../identity/agent-queries.ts';
import type { CommandLimit } from '../platform/command-limit.ts';
import { runPreparedStatement } from '../store/statements/prepared.ts';
import type { Store } from '../store/store.ts';
import { insertMessageStatement } from './insert-message-commands.ts';
import { sendMessage } from './message-commands.ts';

let one: TestServer;
let other: TestServer;
useServerPair((...pair) => {
  [one, other] = pair;
});

const rounds = scaleRepetitions(8);
const either = (index: number) => (index % 2 === 0 ? one : other);
let made = 0;

async function friends(): Promise<readonly [RegisteredAgent, RegisteredAgent, string]> {
  made += 1;
  const [alice, bob] = [await one.register(`alice_${made}`), await other.register(`bob_${made}`)];
  return [alice, bob, await befriend(one, alice, bob)];
}

const send = (server: TestServer, { token }: RegisteredAgent, body: unknown) =>
  server.request('POST', '/api/v1/messages', { token, body });
const outcome = ({ status, body }: Answer) => (status < 300 ? `${status}` : `${status} ${body['error']?.['code']}`);
const dialog = async (reader: RegisteredAgent, peer: RegisteredAgent) =>
  ((await one.request('GET', `/api/v1/messages?peer=${peer.id}`, { token: reader.token })).body['messages'] ??
    []) as readonly Json[];
const announced = async (agent: RegisteredAgent) =>
  (await readEventBacklog(one, agent)).filter(({ kind }) => kind === 'message.created');

/** The bytes of text in an agent's usage; `keptBytes` returns those that the database stores. */
async function countedBytes({ id }: RegisteredAgent): Promise<number> {
  return await sumOf(sql`select sum(bytes) as bytes from text_usage where agent_id = ${id}`);
}
async function keptBytes({ id }: RegisteredAgent): Promise<number> {
  return await sumOf(sql`
    select (select sum(octet_length(ciphertext)) from messages where sender_id = ${id})
         + (select octet_length(display_name || specialty || bio || character_description) from bots where id = ${id}) as bytes`);
}
async function sumOf(query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await one.store.read((reader) => query.execute(reader));
  return Number((rows[0] as { readonly bytes: unknown }).bytes);
}

describe('parallel calls on PostgreSQL', () => {
  it('store one message of 50 identical ones, answer all alike and announce it once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob] = await friends();
      const envelope = await makeEnvelope(one, alice, bob);
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => send(either(index), alice, envelope)));

      expect(answers.map(outcome).toSorted()).toEqual([...Array(49).fill('200'), '201']);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await dialog(bob, alice)).toHaveLength(1);
      expect(await announced(bob)).toHaveLength(1);
    }
  });

  it('accept one of 20 different envelopes with the same id', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob] = await friends();
      const envelope = await makeEnvelope(one, alice, bob);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          send(either(index), alice, { ...envelope, nonce: randomBase64(24), ciphertext: randomBase64(20 + index) }),
        ),
      );

      expect(answers.map(outcome).toSorted()).toEqual(['201', ...Array(19).fill('409 idempotency_conflict')]);
      expect(await announced(bob)).toHaveLength(1);
    }
  });

  it('accept one of 20 envelopes with the same nonce, sent in both directions', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob] = await friends();
      const there = await makeEnvelope(one, alice, bob);
      const back = { ...(await makeEnvelope(one, bob, alice)), nonce: there.nonce };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const [sender, envelope] = index % 4 < 2 ? [alice, there] : [bob, back];
          return send(either(index), sender, { ...envelope, client_message_id: randomUUID() });
        }),
      );

      expect(answers.map(outcome).toSorted()).toEqual(['201', ...Array(19).fill('409 nonce_reuse')]);
      expect([...(await announced(alice)), ...(await announced(bob))]).toHaveLength(1);
    }
  });

  it('accept all of many different messages, in both directions', async () => {
    const [alice, bob] = await friends();
    const there = await makeEnvelope(one, alice, bob);
    const back = await makeEnvelope(one, bob, alice);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const [sender, envelope] = index % 4 < 2 ? [alice, there] : [bob, back];
        return send(either(index), sender, { ...envelope, client_message_id: randomUUID(), nonce: randomBase64(24) });
      }),
    );

    expect(new Set(answers.map(outcome))).toEqual(new Set(['201']));
    expect(await dialog(alice, bob)).toHaveLength(60);
    expect((await announced(bob)).length + (await announced(alice)).length).toBe(60);
  });

  it('give each of a batch of good, repeated and refused ones the same answer as separately', async () => {
    const pairs = [await friends(), await friends(), await friends(), await friends()];
    const full = await friends();
    await one.store.transact((writer) =>
      writer.updateTable('bots').set({ text_bytes_quota: 1_000 }).where('id', '=', full[0].id).execute(),
    );
    const stranger = await one.register(`stranger_${made}`);
    const expected: [expected: string, sender: RegisteredAgent, envelope: object][] = [];
    for (const [alice, bob] of pairs) {
      const earlier = await makeEnvelope(one, alice, bob);
      expect(outcome(await send(one, alice, earlier))).toBe('201');
      const fresh = () => ({ ...earlier, client_message_id: randomUUID(), nonce: randomBase64(24) });
      const toStranger = { ...fresh(), recipient_id: stranger.id };
      for (let each = 0; each < 4; each += 1) expected.push(['201', alice, fresh()]);
      expected.push(['200', alice, earlier], ['409 nonce_reuse', alice, { ...fresh(), nonce: earlier.nonce }]);
      expected.push(['403 contact_not_accepted', alice, toStranger]);
      expected.push(['409 idempotency_conflict', alice, { ...earlier, ciphertext: randomBase64(100) }]);
      expected.push(['409 key_changed', alice, { ...fresh(), recipient_public_key: earlier.sender_public_key }]);
    }
    const large = { ...(await makeEnvelope(one, full[0], full[1])), ciphertext: randomBase64(2_000) };
    for (let each = 0; each < 3; each += 1)
      expected.push([
        '429 storage_quota_exceeded',
        full[0],
        { ...large, client_message_id: randomUUID(), nonce: randomBase64(24) },
      ]);
    const shuffled = expected
      .map((call) => [randomUUID(), call] as const)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([, call]) => call);
    const answers = await Promise.all(shuffled.map(([, sender, envelope]) => send(one, sender, envelope)));

    expect(answers.map(outcome)).toEqual(shuffled.map(([text]) => text));
    for (const [alice, bob] of pairs) {
      const stored = await dialog(bob, alice);
      expect(stored).toHaveLength(5);
      expect((await announced(bob)).map(({ payload }) => (payload as Json)['id']).toSorted()).toEqual(
        stored.map(({ id }) => id).toSorted(),
      );
      expect(await countedBytes(alice)).toBe(await keptBytes(alice));
    }
    expect(await announced(full[1])).toEqual([]);
  });

  it('do not make a message wait for the locked friendship of others', async () => {
    const [pair, ...others] = [await friends(), await friends(), await friends(), await friends()];
    const envelopes = new Map<RegisteredAgent, object>();
    for (const [alice, bob] of [pair, ...others]) envelopes.set(alice, await makeEnvelope(one, alice, bob));
    const fresh = ([alice]: (typeof others)[number]) =>
      send(one, alice, { ...envelopes.get(alice), client_message_id: randomUUID(), nonce: randomBase64(24) });
    const [locked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locking = one.store.transact(async (writer) => {
      await sql`select 1 from contacts where id = ${pair[2]} for update`.execute(writer);
      locked.resolve();
      await mayEnd.promise;
    });
    await locked.promise;
    // The first message starts a batch, and the others arrive while the batch is in progress.
    const sending = [...others, pair, ...others, ...others].map(fresh);
    const [waiting] = sending.splice(others.length, 1);
    expect((await Promise.all(sending)).map(outcome)).toEqual(Array(9).fill('201'));
    mayEnd.resolve();
    await locking;
    expect(waiting === undefined ? undefined : outcome(await waiting)).toBe('201');
  });

  it('accept nothing after a block, and deliver nothing', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob, contactId] = await friends();
      const envelope = await makeEnvelope(one, alice, bob);
      const sending = Array.from({ length: 12 }, (_, index) =>
        send(either(index), alice, { ...envelope, client_message_id: randomUUID(), nonce: randomBase64(24) }),
      );
      const path = `/api/v1/contacts/${contactId}/block`;
      const [blocked, ...answers] = await Promise.all([
        other.request('POST', path, { token: bob.token, body: {} }),
        ...sending,
      ]);

      expect(blocked?.status).toBe(200);
      const sent = answers.map(outcome).filter((text) => text === '201');
      for (const text of answers.map(outcome)) expect(['201', '403 contact_not_accepted']).toContain(text);
      expect(await dialog(bob, alice)).toHaveLength(sent.length);
      expect((await readEventBacklog(one, bob)).map(({ kind }) => kind)).toEqual([]);
    }
  });

  it('make a block wait for a message that is being written, and then drop its event', async () => {
    const [alice, bob, contactId] = await friends();
    const sender = await one.store.read((reader) => loadAgent(reader, alice.id));
    const envelope = await makeEnvelope(one, alice, bob);
    const { parts, written, commit } = pausedBeforeCommit();
    const sending = sendMessage({ ...parts, messageDays: 90, agentTextBytes: 0 }, sender, envelope);
    await written;
    const blocking = other.request('POST', `/api/v1/contacts/${contactId}/block`, { token: bob.token, body: {} });
    await waitForBlockedStatement(one.store).finally(commit);

    expect((await sending).isNew).toBe(true);
    expect((await blocking).status).toBe(200);
    expect(await announced(bob)).toEqual([]);
    expect(await dialog(bob, alice)).toHaveLength(1);
  });

  it('make a message wait for a block that is being written, and then refuse it', async () => {
    const [alice, bob, contactId] = await friends();
    const envelope = await makeEnvelope(one, alice, bob);
    const { parts, written, commit } = pausedBeforeCommit();
    const blocking = blockContact(parts, bob.id, contactId);
    await written;
    const sending = send(other, alice, envelope);
    await waitForBlockedStatement(one.store).finally(commit);

    expect((await blocking).status).toBe('blocked');
    expect(outcome(await sending)).toBe('403 contact_not_accepted');
    expect(await announced(bob)).toEqual([]);
    expect(await dialog(bob, alice)).toEqual([]);
  });
});

/** Returns dependencies that make commands pause between their last statement and their commit. */
function pausedBeforeCommit() {
  const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const clock = () => new Date();
  const { announce, draftEvent } = makeAnnouncer(clock, () => undefined);
  const limit: CommandLimit = { take: async () => undefined, giveBack: () => undefined };
  const pause = async () => {
    written.resolve();
    await mayCommit.promise;
  };
  const store: Store = {
    ...one.store,
    // A single statement would commit immediately, so it runs in a transaction that remains open.
    ask: async (statement, values) => {
      if (statement.name !== insertMessageStatement.name) return await one.store.ask(statement, values);
      return await one.store.transact(async (writer) => {
        const [row] = await runPreparedStatement(writer, statement.alone, values);
        await pause();
        return row;
      });
    },
  };
  const parts = {
    store,
    clock,
    draftEvent,
    limitMessages: limit,
    limitRequests: limit,
    announce: async (...args: Parameters<typeof announce>) => {
      await announce(...args);
      await pause();
    },
  };
  return { parts, written: written.promise, commit: () => mayCommit.resolve() };
}
