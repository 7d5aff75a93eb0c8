import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { expectNoDeadlocks } from '../../testing/locks.ts';
import { befriend, sendContactBlock } from '../../testing/scenarios/friends.ts';
import {
  actionBodies,
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
afterEach(async () => {
  expect((await checkLedger(one.store)).faults).toEqual([]);
  await expectNoDeadlocks(one.store);
});

const either = (index: number) => (index % 2 === 0 ? one : other);
const outcome = ({ status, body }: Answer) => (status < 300 ? `${status}` : `${status} ${body['error']?.['code']}`);
const accept = { expected_version: 1, ...actionBodies.accept };

async function makeCustomers(count: number, contractor: RegisteredAgent): Promise<readonly OrderParties[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const customer = await one.register(`customer_${randomUUID().slice(0, 8)}`);
      await one.grant(customer.id, 5_500);
      return { customer, contractor, contactId: await befriend(one, customer, contractor) };
    }),
  );
}

describe('parallel commands on PostgreSQL', () => {
  it('complete 50 orders of one contractor in parallel', async () => {
    const contractor = await one.register('hot_seller');
    const pairs = await makeCustomers(10, contractor);
    const mine = Array.from({ length: 50 }, (_, index) => pairs[index % 10]).filter((pair) => pair !== undefined);
    const created = await Promise.all(mine.map((pair, index) => sendOrder(either(index), contractor, offerBody(pair))));
    const ids = created.map((answer) => orderIn(answer)['id'] ?? '');
    for (const [index, action] of (['accept', 'start', 'deliver', 'complete'] as const).entries()) {
      const body = { expected_version: index + 1, ...actionBodies[action] };
      const answers = await Promise.all(
        mine.map(({ customer }, order) => {
          const agent = action === 'accept' || action === 'complete' ? customer : contractor;
          return sendAction(either(order), agent, ids[order] ?? '', action, body);
        }),
      );
      expect(answers.map(outcome)).toEqual(Array(50).fill('200'));
      expect(answers.map(({ body: { order } }) => [order?.['id'], order?.['version']])).toEqual(
        ids.map((id) => [id, index + 2]),
      );
    }
    expect(await readBalances(one, contractor)).toEqual([50_000, 0]);
    for (const { customer } of pairs) expect(await readBalances(other, customer)).toEqual([0, 0]);
    // Both participants received an event for each version.
    expect(await count(sql`select from events where kind = 'order.changed' and agent_id = ${contractor.id}`)).toBe(250);
  });

  it('get the same responses in a batch as separately', async () => {
    const expected: [expected: string, send: () => Promise<Answer>][] = [];
    const expectAnswer = (text: string, agent: RegisteredAgent, id: string, action: string, body: object) =>
      expected.push([text, () => sendAction(one, agent, id, action, body)]);
    for (let number = 0; number < 4; number += 1) {
      const pair = await makeOrderParties(one, 2_200);
      const { customer, contractor } = pair;
      const done = { operation_id: randomUUID(), ...accept };
      const accepted = await makeOffer(one, pair);
      expect(outcome(await sendAction(one, customer, accepted, 'accept', done))).toBe('200');
      const [first, second] = [await makeOffer(one, pair), await makeOffer(one, pair)];
      const poor = await makeOrderParties(one, 1_099);
      const left = await makeOrderParties(one);
      const lost = await makeOffer(one, left);
      await sendContactBlock(one, left.contractor, left.contactId);
      expectAnswer('200', customer, accepted, 'accept', done);
      expectAnswer('409 idempotency_conflict', customer, first, 'accept', done);
      expectAnswer('409 version_conflict', contractor, accepted, 'start', { expected_version: 1 });
      expectAnswer('200', customer, first, 'accept', accept);
      expectAnswer('200', contractor, second, 'cancel', { expected_version: 1 });
      expectAnswer('409 insufficient_funds', poor.customer, await makeOffer(one, poor), 'accept', accept);
      expectAnswer('403 friendship_required', left.customer, lost, 'accept', accept);
      expectAnswer('404 not_found', left.customer, accepted, 'start', { expected_version: 2 });
      expected.push(['201', () => sendOrder(one, contractor, offerBody(pair))]);
      expected.push(['403 friendship_required', () => sendOrder(one, left.contractor, offerBody(left))]);
      expectAnswer('200', contractor, accepted, 'start', { expected_version: 2 });
    }
    const answers = await Promise.all(expected.map(([, send]) => send()));
    expect(answers.map(outcome)).toEqual(expected.map(([text]) => text));
  });

  it('execute only one of several commands with the same operation id', async () => {
    const pair = await makeOrderParties(one, 5_500);
    const ids = await Promise.all(Array.from({ length: 5 }, () => makeOffer(one, pair)));
    const body = { operation_id: randomUUID(), ...accept };
    const answers = await Promise.all(ids.map((id) => sendAction(one, pair.customer, id, 'accept', body)));
    expect(answers.map(outcome).toSorted()).toEqual(['200', ...Array(4).fill('409 idempotency_conflict')]);
    expect(await readBalances(one, pair.customer)).toEqual([4_400, 1_100]);
  });

  it.each([
    ['order', ({ id }: Locked) => sql`select from orders where id = ${id} for update`],
    ['friendship', ({ pair }: Locked) => sql`select from contacts where id = ${pair.contactId} for update`],
    ['wallet', ({ pair }: Locked) => sql`select from wallets where agent_id = ${pair.customer.id} for update`],
  ])('do not wait for a locked %s of others', async (_name, lock) => {
    const all = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const pair = await makeOrderParties(one);
        return { pair, id: await makeOffer(one, pair) };
      }),
    );
    const [mine, ...others] = all;
    if (mine === undefined) throw new Error('There is no order.');
    const [locked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locking = one.store.transact(async (writer) => {
      await lock(mine).execute(writer);
      locked.resolve();
      await mayEnd.promise;
    });
    await locked.promise;
    const acceptOrder = ({ pair, id }: Locked) => sendAction(one, pair.customer, id, 'accept', accept);
    // The first requests start a batch, and the others arrive while the batch is in progress.
    const before = others.slice(0, 4).map(acceptOrder);
    const waiting = acceptOrder(mine);
    const after = others.slice(4).map(acceptOrder);
    const answers = await Promise.all([...before, ...after]).finally(mayEnd.resolve);
    expect(answers.map(outcome)).toEqual(Array(8).fill('200'));
    await locking;
    expect(outcome(await waiting)).toBe('200');
  });

  it('are executed once and completely when their connections are closed midway', async () => {
    const contractor = await one.register('often_cut');
    const pairs = await makeCustomers(5, contractor);
    const orders = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const pair = pairs[index % 5];
        if (pair === undefined) throw new Error('There is no pair.');
        return { pair, id: String((await makeOrderInState(one, pair, 'delivered'))['id']) };
      }),
    );
    let cuts = 0;
    let isOver = false;
    const complete = async ({ pair, id }: Locked, index: number) => {
      const body = { operation_id: randomUUID(), expected_version: 4 };
      for (let time = 0; ; time += 1) {
        const answer = await sendAction(either(index + time), pair.customer, id, 'complete', body);
        if (answer.status !== 503) return answer;
        cuts += 1;
      }
    };
    const cutting = (async () => {
      while (!isOver) {
        await one.store
          .read((reader) =>
            sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
                  and state = 'active' and query like 'with first%' and pid <> pg_backend_pid()`.execute(reader),
          )
          .catch(() => undefined);
        if (cuts > 20) break;
      }
    })();
    // Keeps the customers' wallets locked until a command has been interrupted.
    const [completing] = await one.store.transact(async (writer) => {
      const ids = pairs.map(({ customer }) => customer.id);
      await writer.selectFrom('wallets').where('agent_id', 'in', ids).select('agent_id').forUpdate().execute();
      const sent = Promise.all(orders.map(complete));
      await expect.poll(() => cuts).toBeGreaterThan(0);
      return [sent];
    });
    const answers = await completing.finally(() => {
      isOver = true;
    });
    await cutting;
    expect(answers.map(outcome)).toEqual(Array(20).fill('200'));
    for (const { pair, id } of orders) expect(await readOrder(one, pair.customer, id)).toMatchObject({ version: 5 });
    expect(await readBalances(one, contractor)).toEqual([20_000, 0]);
  });
});

type Locked = { readonly pair: OrderParties; readonly id: string };

async function count(query: RawBuilder<unknown>): Promise<number> {
  return (await one.store.read((reader) => query.execute(reader))).rows.length;
}
