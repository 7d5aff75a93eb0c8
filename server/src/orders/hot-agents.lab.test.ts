import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectEvents } from '../../testing/event-client.ts';
import { expectNoDeadlocks } from '../../testing/locks.ts';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import { befriend } from '../../testing/scenarios/friends.ts';
import { advanceOrder, makeOffer, type OrderParties, readBalances } from '../../testing/scenarios/orders.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { checkLedger } from '../ledger/ledger-check-queries.ts';

const [serverCount, customerCount, messagesEach, ordersEach] = [4, 24, 4, 2];
const servers: TestServer[] = [];
beforeAll(async () => {
  const url = await freshDatabase(inject('postgresUrl'));
  while (servers.length < serverCount) servers.push(await startTestServer({}, url));
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

it('an agent with many message senders and customers on four servers loses nothing', async () => {
  const [first] = servers as [TestServer];
  const contractor = await first.register('hot');
  const pairs: OrderParties[] = [];
  while (pairs.length < customerCount) {
    const customer = await first.register(`customer_${pairs.length}`);
    await first.grant(customer.id, 10_000);
    pairs.push({ customer, contractor, contactId: await befriend(first, customer, contractor) });
  }
  const events = await connectEvents(servers.at(-1)?.url ?? '', contractor);
  events.socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString());
    if (frame.type === 'event') events.ack(frame.event_id);
  });

  const sent: string[] = [];
  const write = async (server: TestServer, { customer }: OrderParties) => {
    const body = await makeEnvelope(server, customer, contractor);
    const answer = await server.request('POST', '/api/v1/messages', { token: customer.token, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    sent.push(String(answer.body['message']?.['id']));
  };
  const trade = async (server: TestServer, pair: OrderParties) => {
    const id = await makeOffer(server, pair);
    await advanceOrder(server, pair, id, ['accept', 'start', 'deliver', 'complete']);
    return id;
  };
  const work = pairs.flatMap((pair, index) => {
    const server = servers[index % serverCount] ?? first;
    return [
      ...Array.from({ length: messagesEach }, () => write(server, pair)),
      ...Array.from({ length: ordersEach }, () => trade(server, pair)),
    ];
  });
  const orders = (await Promise.all(work)).filter((id) => id !== undefined);

  const payloads = async (kind: string, count: number) => {
    await expect.poll(() => eventsOf(kind).length).toBeGreaterThanOrEqual(count);
    return eventsOf(kind);
  };
  const eventsOf = (kind: string) => events.frames.filter((frame) => frame['kind'] === kind);
  const told = await payloads('message.created', sent.length);
  expect(told.map(({ payload }) => payload?.['id']).sort()).toEqual(sent.sort());
  const versions = orders.flatMap((id) => [1, 2, 3, 4, 5].map((version) => `${id} ${version}`));
  const changes = await payloads('order.changed', versions.length);
  const changed = changes.map(({ payload }) => `${payload?.['order_id']} ${payload?.['version']}`);
  expect(changed.sort()).toEqual(versions.sort());

  expect(await readBalances(first, contractor)).toEqual([1_000 * orders.length, 0]);
  expect((await checkLedger(first.store)).faults).toEqual([]);
  await expectNoDeadlocks(first.store);
  await events.close();
});
