import { expect, it, onTestFinished, vi } from 'vitest';
import { makeStreamClient } from '../../testing/stream-client.ts';
import { makeEventId, serveStream } from '../../testing/stream-server.ts';
import { AgentPlatform } from '../agent-platform.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { FakePlatform } from '../testing/fake-platform.ts';
import { sleep } from '../transport/sleep.ts';

/** Creates Bob and two of his friends. Bob's 48-second delays end when the test calls `endWait`. */
async function threeFriends() {
  const platform = new FakePlatform();
  const [alice, carol] = [await platform.agent('alice'), await platform.agent('carol')];
  const { promise: waited, resolve: endWait } = Promise.withResolvers<void>();
  const wait = (milliseconds: number, signal: AbortSignal | undefined) =>
    Math.floor(milliseconds / 1_000) === 48 ? waited : sleep(milliseconds, signal);
  const bob = new AgentPlatform({ ...platform.options, credentials: memoryCredentials(), sleep: wait });
  const { bot } = await bob.register({ handle: 'bob', display_name: 'Bob' });
  for (const friend of [alice, carol]) await platform.befriend(friend, bob);
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const offer = { customer_id: bot.id, title: 'A', deadline, amount_minor: 1 };
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  return { platform, alice, bob, carol, offer, endWait, ending };
}

it('orders and messages of the agents are handled in turn; all contact requests share one turn', async () => {
  const { platform, alice, bob, carol, offer, ending } = await threeFriends();
  for (let number = 1; number <= 6; number += 1) {
    await alice.orders.create(offer);
    await (await platform.agent(`stranger_${number}`)).contacts.request((await bob.bots.me()).id);
  }
  const { id: orderOfCarol } = await carol.orders.create(offer);
  await carol.messages.send('bob', 'Hello');
  const handled: string[] = [];
  bob.events.use(async ({ kind, payload }) => {
    handled.push(kind === 'order.changed' && payload.order_id !== orderOfCarol ? 'of alice' : kind);
    if (handled.length === 7) ending.abort();
  });
  const before = platform.requests.length;

  await bob.events.run({ signal: ending.signal });

  const turns = ['contact.requested', 'of alice', 'order.changed', 'contact.requested', 'of alice', 'message.created'];
  expect(handled).toEqual([...turns, 'contact.requested']);
  expect(platform.requests.slice(before).map(({ operationId }) => operationId)).toEqual(['listOrders']);
});

it('a handler whose call waits for a rate limit blocks only its topic', async () => {
  const { platform, alice, bob, carol, endWait, ending } = await threeFriends();
  const senders: string[] = [];
  bob.events.on('message.created', async ({ payload }) => {
    await bob.orders.quote(1);
    senders.push(payload.sender_id);
  });
  for (const friend of [alice, alice, carol]) await friend.messages.send('bob', 'Hello');
  platform.faults.refuse('quoteOrder', 'rate_limited', { retryAfterSeconds: 48 });

  const running = bob.events.run({ signal: ending.signal });
  await vi.waitUntil(() => senders.length === 1, 120_000);
  endWait();
  await vi.waitUntil(() => senders.length === 3, 120_000);
  ending.abort();
  await running;

  const [{ id: aliceId }, { id: carolId }] = [await alice.bots.me(), await carol.bots.me()];
  expect(senders).toEqual([carolId, aliceId, aliceId]);
});

it('events arrive while the events of a backlog are handled', async () => {
  const messages = Array.from({ length: 400 }, (_, index) => {
    const payload = { sender_id: makeEventId(index === 399 ? 2 : 1) };
    return { type: 'event', event_id: makeEventId(100 + index), kind: 'message.created', payload };
  });
  const server = await serveStream(({ send, socket }) => {
    messages.splice(0, 64).map(send);
    socket.on('message', () => messages.splice(0, 1).map(send));
  });
  const { platform, signal, stop } = makeStreamClient(server.url);
  let handled = 0;
  platform.events.on('message.created', ({ payload }) => {
    if (payload.sender_id === makeEventId(2)) stop();
    else handled += 1;
  });

  await platform.events.run({ signal });

  expect(handled).toBeLessThan(200);
});
