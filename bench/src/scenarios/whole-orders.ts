import { randomUUID } from 'node:crypto';
import { createHistogram } from 'node:perf_hooks';
import { Client, type Dispatcher } from 'undici';
import type { FriendPair } from './agents.ts';
import { sendRequest } from './send.ts';

/** The steps of an order after its offer: the acting agent, the action and the members of the body. */
const steps = [
  ['sender', '/accept', { expected_version: 1, confirmed_total_minor: 1_100 }],
  ['recipient', '/start', { expected_version: 2 }],
  ['recipient', '/deliver', { expected_version: 3, result_text: 'done' }],
  ['sender', '/complete', { expected_version: 4 }],
] as const;

/**
 * Each pair of friends runs one order after another, from offer to payout; the sender is the customer. All pairs run
 * concurrently, each over a separate connection to the server that `urlOf` returns for its index.
 *
 * @throws Error a step fails
 */
export async function runWholeOrders(urlOf: (index: number) => string, pairs: readonly FriendPair[], seconds: number) {
  const latency = createHistogram();
  const started = performance.now();
  const endsAt = started + seconds * 1_000;
  const record = (ms: number) => latency.record(Math.ceil(ms * 1_000));
  await Promise.all(pairs.map((pair, index) => keepTrading(urlOf(index), pair, endsAt, record)));
  const { count } = latency;
  const perSecond = (count * 1_000) / (performance.now() - started);
  return { count, perSecond, p50Ms: latency.percentile(50) / 1_000, p99Ms: latency.percentile(99) / 1_000 };
}

async function keepTrading(url: string, pair: FriendPair, endsAt: number, record: (ms: number) => void): Promise<void> {
  const client = new Client(url, { pipelining: 1 });
  try {
    for (let started = performance.now(); started < endsAt; ) {
      await wholeOrder(client, url, pair);
      const now = performance.now();
      record(now - started);
      started = now;
    }
  } finally {
    await client.destroy();
  }
}

async function wholeOrder(client: Client, url: string, pair: FriendPair): Promise<void> {
  const path = `/api/v1/orders/${await offer(url, pair, client)}`;
  for (const [side, action, fields] of steps) {
    await sendRequest(url, `${path}${action}`, pair[side].token, { operation_id: randomUUID(), ...fields }, client);
  }
}

async function offer(url: string, { sender, recipient }: FriendPair, dispatcher: Dispatcher): Promise<string> {
  const deadline = new Date(Date.now() + 3_600_000).toISOString();
  const terms = { title: 'A picture', amount_minor: 1_000, customer_id: sender.id, deadline };
  const text = await sendRequest(
    url,
    '/api/v1/orders',
    recipient.token,
    { operation_id: randomUUID(), ...terms },
    dispatcher,
  );
  const { order }: { readonly order: { readonly id: string } } = JSON.parse(text);
  return order.id;
}
