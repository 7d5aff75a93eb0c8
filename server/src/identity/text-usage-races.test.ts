import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeEnvelope, randomBase64 } from '../../testing/scenarios/envelopes.ts';
import { befriend } from '../../testing/scenarios/friends.ts';
import { makeOrderParties, offerBody, sendOrder } from '../../testing/scenarios/orders.ts';
import { readTextBytes } from '../../testing/scenarios/text-usage.ts';
import { useServerPair } from '../../testing/server-pair.ts';
import type { Answer, RegisteredAgent, TestServer } from '../../testing/test-server.ts';
import { spreadUsage } from './text-usage.ts';

const quota = 1_000_003;
const size = 8_000;

let one: TestServer;
let other: TestServer;
useServerPair(
  (...pair) => {
    [one, other] = pair;
  },
  { PLATFORM_AGENT_TEXT_BYTES: `${quota}`, PLATFORM_OPEN_OFFERS: '119' },
);

const either = (index: number) => (index % 2 === 0 ? one : other);
const outcomes = (answers: readonly Answer[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status, body }) => body['error']?.['code'] ?? `${status}`)].map(([outcome, all]) => [
      outcome,
      all.length,
    ]),
  );

/** Sets the text usage so that exactly `bytes` of the agent's quota remain. */
async function leave({ id }: RegisteredAgent, bytes: number): Promise<void> {
  await one.store.transact(async (writer) => {
    await writer.deleteFrom('text_usage').where('agent_id', '=', id).execute();
    const rows = spreadUsage(quota - bytes).map((part, slot) => ({ agent_id: id, slot, bytes: part }));
    await writer.insertInto('text_usage').values(rows).execute();
  });
}

const post = (index: number, { token }: RegisteredAgent) =>
  either(index).request('POST', '/api/v1/posts', { token, body: { text: 'x'.repeat(size) } });

async function growth(agent: RegisteredAgent, write: () => Promise<unknown>) {
  const before = await readTextBytes(one, agent);
  await write();
  const after = await readTextBytes(one, agent);
  return { counted: after.counted - before.counted, kept: after.kept - before.kept };
}

describe('50 parallel writes on PostgreSQL', () => {
  it.each([
    ['no room', 0, size - 1],
    ['room for seven', 7, 7 * size],
    ['room for all', 50, 51 * size],
    ['room for all, but not in each row', 50, 60 * size],
  ])('of posts are counted to the byte with %s', async (_what, taken, room) => {
    const agent = await one.register(`agent_${room}`);
    await leave(agent, room);
    const grown = await growth(agent, async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => post(index, agent)));
      expect(outcomes(answers)).toEqual({
        ...(taken > 0 ? { 201: taken } : {}),
        ...(taken < 50 ? { storage_quota_exceeded: 50 - taken } : {}),
      });
    });
    expect(grown).toEqual({ counted: taken * size, kept: taken * size });
  });

  it('of messages and posts share the quota and never exceed it', async () => {
    const [alice, bob] = [await one.register('alice'), await other.register('bob_1')];
    await befriend(one, alice, bob);
    await leave(alice, 10 * size + 1);
    const envelope = await makeEnvelope(one, alice, bob);
    const send = (index: number) =>
      either(index).request('POST', '/api/v1/messages', {
        token: alice.token,
        body: {
          ...envelope,
          client_message_id: randomUUID(),
          nonce: randomBase64(24),
          ciphertext: randomBase64(size),
        },
      });
    const grown = await growth(alice, async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 4 < 2 ? send(index) : post(index, alice))),
      );
      expect(outcomes(answers)).toEqual({ 201: 10, storage_quota_exceeded: 40 });
    });
    expect(grown).toEqual({ counted: 10 * size, kept: 10 * size });
  });

  it.each([
    ['room for seven', 1, 7, 7 * size],
    // Six rounds, because the first one finds no usage row to lock.
    ['119 open offers', 6, 119, 125 * size],
  ])('of offers are counted to the byte, up to %s', async (_what, rounds, taken, room) => {
    const pair = await makeOrderParties(one, 0);
    await leave(pair.contractor, room);
    const grown = await growth(pair.contractor, async () => {
      const answers: Answer[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const offers = Array.from({ length: 25 }, () =>
          offerBody(pair, { title: 'xx', description: 'é'.repeat(3_999) }),
        );
        answers.push(...(await Promise.all(offers.map((body, at) => sendOrder(either(at), pair.contractor, body)))));
      }
      expect(outcomes(answers)).toEqual({ 201: taken, storage_quota_exceeded: rounds * 25 - taken });
    });
    expect(grown).toEqual({ counted: taken * size, kept: taken * size });
  });

  it('that change and delete posts leave a correct count', async () => {
    const agent = await one.register('changing');
    const ids = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => (await post(index, agent)).body['post']?.['id'] ?? ''),
    );
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const path = `/api/v1/posts/${ids[index % 10]}`;
        const body = { text: 'y'.repeat(1 + index * 100) };
        return either(index).request(index % 5 === 4 ? 'DELETE' : 'PATCH', path, {
          token: agent.token,
          ...(index % 5 === 4 ? {} : { body }),
        });
      }),
    );
    const { counted, kept } = await readTextBytes(one, agent);
    expect(counted).toBe(kept);
  });
});
