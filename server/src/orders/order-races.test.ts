import { randomUUID } from 'node:crypto';
import { scaleRepetitions } from '@agent-platform/testing';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { expectNoDeadlocks } from '../../testing/locks.ts';
import { befriend } from '../../testing/scenarios/friends.ts';
import {
  advanceOrder,
  makeOffer,
  makeOrderInState,
  makeOrderParties,
  type OrderParties,
  offerBody,
  orderIn,
  readBalances,
  readOrder,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { useServerPair } from '../../testing/server-pair.ts';
import type { Answer, RegisteredAgent, TestServer } from '../../testing/test-server.ts';
import { checkLedger } from '../ledger/ledger-check-queries.ts';

let one: TestServer;
let other: TestServer;
useServerPair((...pair) => {
  [one, other] = pair;
});

const rounds = scaleRepetitions(10);
const either = (index: number) => (index % 2 === 0 ? one : other);

async function proveAll(): Promise<void> {
  expect((await checkLedger(one.store)).faults).toEqual([]);
}

afterEach(async () => {
  await proveAll();
  await expectNoDeadlocks(one.store);
});

async function atOnce(count: number, send: (server: TestServer, index: number) => Promise<Answer>) {
  return await Promise.all(Array.from({ length: count }, (_, index) => send(either(index), index)));
}

/** Counts responses by error code, or by status if they have none. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const told = answers.map(({ status, body }) => String(body['error']?.['code'] ?? status));
  return Object.fromEntries([...Map.groupBy(told, (code) => code)].map(([code, all]) => [code, all.length]));
}

/** Expects each version of an order exactly once, without gaps, and an event about it for both participants. */
async function expectVersions(pair: OrderParties, id: string, version: number): Promise<void> {
  const { body } = await other.request('GET', `/api/v1/orders/${id}`, { token: pair.customer.token });
  expect(body['order']?.['version']).toBe(version);
  const expected = Array.from({ length: version }, (_, index) => index + 1);
  expect([...(body['events'] ?? [])].map((entry) => entry['version'])).toEqual(expected);
  const events = await one.store.read((reader) =>
    reader.selectFrom('events').where('kind', '=', 'order.changed').select(['agent_id', 'payload']).execute(),
  );
  const told = events.filter(({ payload }) => JSON.stringify(payload).includes(id));
  expect(told).toHaveLength(2 * version);
}

const accept = { expected_version: 1, confirmed_total_minor: 1_100 };

describe('parallel commands on PostgreSQL', () => {
  it('create one order for 100 identical creations, with identical responses', async () => {
    const pair = await makeOrderParties(one);
    for (let round = 0; round < rounds; round += 1) {
      const body = offerBody(pair);
      const answers = await atOnce(100, (server) => sendOrder(server, pair.contractor, body));

      expect(tally(answers)).toEqual({ 201: 1, 200: 99 });
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    }
    const { body } = await one.request('GET', '/api/v1/orders?page_size=50', { token: pair.customer.token });
    expect(body['orders']).toHaveLength(rounds);
  });

  it('execute 100 identical actions once, with identical responses', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const pair = await makeOrderParties(one, 5_000);
      const id = await makeOffer(one, pair);
      const body = { operation_id: randomUUID(), ...accept };
      const answers = await atOnce(100, (server) => sendAction(server, pair.customer, id, 'accept', body));

      expect(tally(answers)).toEqual({ 200: 100 });
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
      expect(await readBalances(other, pair.customer)).toEqual([3_900, 1_100]);
      await expectVersions(pair, id, 2);
    }
  });

  it('execute one of many different actions on one version', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const pair = await makeOrderParties(one);
      const order = await makeOrderInState(one, pair, 'funded');
      const id = order['id'] ?? '';
      const wanted = [
        [pair.contractor, 'start', {}],
        [pair.contractor, 'dispute', { reason: 'a' }],
        [pair.customer, 'dispute', { reason: 'b' }],
        [pair.contractor, 'propose-refund', { reason: 'c' }],
        [pair.customer, 'propose-refund', { reason: 'd' }],
      ] as const;
      const answers = await atOnce(20, (server, index) => {
        const [agent, action, words] = wanted[index % wanted.length] ?? wanted[0];
        return sendAction(server, agent, id, action, { expected_version: 2, ...words });
      });

      expect(tally(answers)).toEqual({ 200: 1, version_conflict: 19 });
      await expectVersions(pair, id, 3);
    }
  });

  it.each<readonly [string, 'offered' | 'delivered', number, (pair: OrderParties) => Contest]>([
    [
      'accept against cancel',
      'offered',
      1,
      ({ customer, contractor }) => [
        [customer, 'accept', accept],
        [contractor, 'cancel', {}],
      ],
    ],
    [
      'accept against reject',
      'offered',
      1,
      ({ customer }) => [
        [customer, 'accept', accept],
        [customer, 'reject', {}],
      ],
    ],
    [
      'complete against dispute',
      'delivered',
      4,
      ({ customer, contractor }) => [
        [customer, 'complete', {}],
        [contractor, 'dispute', { reason: 'too late' }],
      ],
    ],
  ])('execute one of two: %s', async (_name, state, version, contest) => {
    for (let round = 0; round < rounds; round += 1) {
      const pair = await makeOrderParties(one, 1_100);
      const id = (await makeOrderInState(one, pair, state))['id'] ?? '';
      const sides = round % 2 === 0 ? contest(pair) : contest(pair).toReversed();
      const answers = await atOnce(2, (server, index) => {
        const [agent, action, words] = sides[index] ?? sides[0];
        return sendAction(server, agent, id, action, { expected_version: version, ...words });
      });

      expect(tally(answers)).toEqual({ 200: 1, version_conflict: 1 });
      const order = await readOrder(other, pair.customer, id);
      const isReserved = order['state'] === 'funded' || order['state'] === 'disputed';
      const isPaid = order['outcome'] === 'accepted';
      expect(await readBalances(one, pair.customer)).toEqual(isReserved ? [0, 1_100] : [isPaid ? 0 : 1_100, 0]);
      expect(await readBalances(one, pair.contractor)).toEqual([isPaid ? 1_000 : 0, 0]);
      await expectVersions(pair, id, version + 1);
    }
  });

  it('refund once when a refund is approved twice', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const pair = await makeOrderParties(one, 1_100);
      const id = await makeOffer(one, pair);
      await advanceOrder(one, pair, id, ['accept', 'propose-refund']);
      const answers = await atOnce(2, (server) =>
        sendAction(server, pair.contractor, id, 'approve-refund', { expected_version: 3 }),
      );

      expect(tally(answers)).toEqual({ 200: 1, version_conflict: 1 });
      expect(await readBalances(one, pair.customer)).toEqual([1_100, 0]);
      await expectVersions(pair, id, 4);
    }
  });

  it.each([
    [2, 1],
    [50, 20],
  ])('execute as many of %d acceptances as the credits allow: %d', async (accepts, covered) => {
    for (let round = 0; round < rounds; round += 1) {
      const pair = await makeOrderParties(one, covered * 1_100 + 1_099);
      const ids = await Promise.all(Array.from({ length: accepts }, () => makeOffer(one, pair)));
      const answers = await atOnce(accepts, (server, index) =>
        sendAction(server, pair.customer, ids[index] ?? '', 'accept', accept),
      );

      expect(tally(answers)).toEqual({ 200: covered, insufficient_funds: accepts - covered });
      expect(await readBalances(other, pair.customer)).toEqual([1_099, covered * 1_100]);
    }
  });

  it('neither deadlock nor lose a credit when two agents order from each other', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const pair = await makeOrderParties(one, 50_000);
      const back: OrderParties = { ...pair, customer: pair.contractor, contractor: pair.customer };
      await one.grant(back.customer.id, 50_000);
      const sides = [pair, back];
      const lives = Array.from({ length: 16 }, async (_, index) => {
        const mine = sides[index % 2] ?? pair;
        const server = either(index >> 1);
        const id = await makeOffer(server, mine);
        const end =
          index % 4 < 2 ? (['start', 'deliver', 'complete'] as const) : (['propose-refund', 'approve-refund'] as const);
        await advanceOrder(server, mine, id, ['accept', ...end]);
      });
      await Promise.all(lives);

      // In each direction, four orders were paid and four were refunded.
      expect(await readBalances(one, pair.customer)).toEqual([50_000 - 4 * 1_100 + 4 * 1_000, 0]);
      expect(await readBalances(one, back.customer)).toEqual([50_000 - 4 * 1_100 + 4 * 1_000, 0]);
    }
  });

  it('never cause an error in a concurrent ledger check', async () => {
    const pairs = await Promise.all(Array.from({ length: 6 }, () => makeOrderParties(one)));
    let isOver = false;
    const load = Promise.all(
      pairs.map(async (pair, index) => {
        for (let round = 0; round < 4; round += 1) {
          await advanceOrder(either(index), pair, await makeOffer(one, pair), [
            'accept',
            'start',
            'deliver',
            'complete',
          ]);
        }
      }),
    ).finally(() => {
      isOver = true;
    });
    let proofs = 0;
    while (!isOver) {
      await proveAll();
      proofs += 1;
    }
    await load;
    expect(proofs).toBeGreaterThan(1);
  });

  it('bind a file to one of two orders that request it', async () => {
    const pair = await makeOrderParties(one);
    for (let round = 0; round < rounds; round += 1) {
      const [first, second] = [await plantFile(pair.contractor), await plantFile(pair.contractor)];
      const answers = await atOnce(6, (server, index) =>
        sendOrder(
          server,
          pair.contractor,
          offerBody(pair, { input_attachment_ids: index % 2 === 0 ? [first, second] : [second, first] }),
        ),
      );
      expect(tally(answers)).toEqual({ 201: 1, attachment_already_bound: 5 });
    }
  });

  it('execute a block and an acceptance one after the other', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const customer = await one.register(`blocked_customer_${round}`);
      const contractor = await one.register(`blocked_contractor_${round}`);
      const contactId = await befriend(one, customer, contractor);
      await one.grant(customer.id, 1_100);
      const pair = { customer, contractor, contactId };
      const id = orderIn(await sendOrder(one, contractor, offerBody(pair)))['id'] ?? '';
      const [accepted, blocked] = await Promise.all([
        sendAction(one, customer, id, 'accept', accept),
        other.request('POST', `/api/v1/contacts/${contactId}/block`, { token: contractor.token, body: {} }),
      ]);

      expect(blocked.status).toBe(200);
      expect(['200', 'friendship_required']).toContain(Object.keys(tally([accepted]))[0]);
    }
  });
});

type Side = readonly [RegisteredAgent, string, object];
type Contest = readonly [Side, Side];

/** Inserts a checked file, as an upload for an order would. */
async function plantFile({ id }: RegisteredAgent): Promise<string> {
  const fileId = randomUUID();
  await one.store.transact((writer) =>
    sql`insert into attachments (id, owner_id, upload_id, purpose, state, reserved_bytes, sha256, filename, media_type,
                                 size_bytes, width, height, preview_sha256, preview_size_bytes, preview_width,
                                 preview_height, created_at)
        values (${fileId}, ${id}, ${randomUUID()}, 'order', 'ready', 0, ${'0'.repeat(64)}, 'x.jpg', 'image/jpeg',
                10, 1, 1, ${'0'.repeat(64)}, 10, 1, 1, now())`.execute(writer),
  );
  return fileId;
}
