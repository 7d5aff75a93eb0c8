import { join } from 'node:path';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import {
  callExpectingRefusal,
  callOk,
  connect,
  decliningPerson,
  type Json,
  openToolServer,
} from '../testing/connect.ts';

const deadline = () => new Date(Date.now() + 86_400_000).toISOString();

async function setUp(spendLimitMinor: number) {
  const platform = new FakePlatform();
  const alice = await platform.agent('alice', { creditsMinor: 1_000_000 });
  const bob = await platform.agent('bob');
  await platform.befriend(alice, bob);
  const journalFile = join(makeTestFolder(), 'mcp.sqlite');
  const start = async () =>
    await connect(await openToolServer(alice, { policy: { spendLimitMinor }, journalFile }), 'modern', decliningPerson);
  const offer = (amountMinor: number): Json => ({
    title: 'A',
    deadline: deadline(),
    amount_minor: amountMinor,
    contractor_id: 'bob',
  });
  const offers = async () => (await bob.orders.list({ pageSize: 50 })).orders;
  return { platform, alice, bob, start, offer, offers };
}

it('spends up to the limit with many small orders from two servers, and then asks', async () => {
  const { start, offer, offers } = await setUp(1_000);
  const clients = [await start(), await start()];
  const orders = Array.from({ length: 12 }, (_, index) => ({ client: clients[index % 2], terms: offer(100 + index) }));

  const outcomes = await Promise.all(
    orders.map(async ({ client, terms }) => {
      const result = await client?.callTool({ name: 'orders_create', arguments: { ...terms } });
      return result?.isError === true ? 'asked' : 'sent';
    }),
  );

  const spent = (await offers()).map(({ total_minor }) => total_minor).reduce((sum, total) => sum + total, 0);
  expect(spent).toBeLessThanOrEqual(1_000);
  expect(spent).toBeGreaterThan(800);
  expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength((await offers()).length);
  expect(outcomes).toContain('asked');
});

it('pays an order that it has made within the limit, and counts it once', async () => {
  const { bob, start, offer } = await setUp(1_500);
  const client = await start();
  const { order } = await callOk(client, 'orders_create', offer(1_000));
  const { id, version } = Object(order);
  const funded = await bob.orders.accept({ id, version });
  const delivered = await bob.orders.deliver(await bob.orders.start(funded), { result_text: 'Here' });

  const paid = await callOk(client, 'orders_complete', { order_id: id, expected_version: delivered.version });

  expect(paid).toMatchObject({ order: { outcome: 'accepted' } });
  expect(await callExpectingRefusal(client, 'orders_create', offer(400))).toMatchObject({ code: 'not_confirmed' });
  expect(await callOk(client, 'orders_create', offer(300))).toMatchObject({ order: { state: 'offered' } });
});

it('releases the amount of an order that the platform refuses', async () => {
  const { platform, start, offer } = await setUp(1_200);
  const client = await start();
  platform.faults.refuse('createOrder', 'participant_inactive');

  expect(await callExpectingRefusal(client, 'orders_create', offer(1_000))).toMatchObject({
    code: 'participant_inactive',
  });
  expect(await callOk(client, 'orders_create', offer(1_000))).toMatchObject({
    order: { total_minor: 1_100 },
  });
});

it('asks if the limit is 0, and about acts other than payments regardless of the limit', async () => {
  const none = await setUp(0);
  const all = await setUp(1_000_000);

  expect(await callExpectingRefusal(await none.start(), 'orders_create', none.offer(1))).toMatchObject({
    code: 'not_confirmed',
  });
  expect(await callExpectingRefusal(await all.start(), 'contacts_block', { agent: 'bob' })).toMatchObject({
    code: 'not_confirmed',
  });
});

it('continues the same order when the call is repeated after a lost answer', async () => {
  const { platform, start, offer, offers } = await setUp(5_000);
  const client = await start();
  const terms = offer(1_000);
  platform.faults.loseAnswer('createOrder', 10);
  expect(await callExpectingRefusal(client, 'orders_create', terms)).toMatchObject({ code: 'operation_pending' });
  for (let left = 10; left > 0; left -= 1) platform.faults.take('createOrder');

  const again = await callOk(await start(), 'orders_create', terms);

  expect(again).toMatchObject({ order: { state: 'offered' } });
  expect(await offers()).toHaveLength(1);
});

it('continues the same order after the repeat of an unanswered call was refused temporarily', async () => {
  const { platform, alice, start, offer, offers } = await setUp(5_000);
  const client = await start();
  const terms = offer(1_000);
  platform.faults.loseAnswer('createOrder', 10);
  expect(await callExpectingRefusal(client, 'orders_create', terms)).toMatchObject({ code: 'operation_pending' });
  for (let left = 10; left > 0; left -= 1) platform.faults.take('createOrder');
  // Empties the outbox, as the next start would.
  await alice.orders.resume();

  for (const code of ['unauthorized', 'write_limited'] as const) {
    platform.faults.refuse('createOrder', code, { retryAfterSeconds: 3_600 });
    expect(await callExpectingRefusal(client, 'orders_create', terms)).toMatchObject({ code });
  }

  expect(await callOk(client, 'orders_create', terms)).toMatchObject({ order: { state: 'offered' } });
  expect(await offers()).toHaveLength(1);
});
