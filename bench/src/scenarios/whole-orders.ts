import { randomUUID } from 'node:crypto';
import { Client } from 'undici';
import type { Friends } from './agents.ts';
import { send } from './send.ts';

/** The steps of an order: the agent that takes it, its path and its fields. */
const steps = [
  ['recipient', '', { title: 'A picture', amount_minor: 1_000 }],
  ['sender', '/accept', { expected_version: 1, confirmed_total_minor: 1_100 }],
  ['recipient', '/start', { expected_version: 2 }],
  ['recipient', '/deliver', { expected_version: 3, result_text: 'done' }],
  ['sender', '/complete', { expected_version: 4 }],
] as const;

/**
 * Brings orders from offer to payout: each pair one after the other, all pairs
 * at the same time, each over a connection of its own. The sender of a pair is
 * the customer.
 *
 * @returns whole orders a second.
 * @throws when any step fails.
 */
export async function tradeOrders(url: string, pairs: readonly Friends[], seconds: number): Promise<number> {
  const started = performance.now();
  const endsAt = started + seconds * 1_000;
  const counts = await Promise.all(pairs.map((pair) => keepTrading(url, pair, endsAt)));
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - started);
}

async function keepTrading(url: string, pair: Friends, endsAt: number): Promise<number> {
  const client = new Client(url, { pipelining: 1 });
  try {
    let orders = 0;
    while (performance.now() < endsAt) {
      await wholeOrder(client, url, pair);
      orders += 1;
    }
    return orders;
  } finally {
    await client.destroy();
  }
}

async function wholeOrder(client: Client, url: string, pair: Friends): Promise<void> {
  let path = '/api/v1/orders';
  for (const [side, action, fields] of steps) {
    const deadline = new Date(Date.now() + 3_600_000).toISOString();
    const terms = action === '' ? { customer_id: pair.sender.id, deadline } : {};
    const body = { operation_id: randomUUID(), ...fields, ...terms };
    const text = await send(url, `${path}${action}`, pair[side].token, body, client);
    if (action !== '') continue;
    const { order }: { readonly order: { readonly id: string } } = JSON.parse(text);
    path = `${path}/${order.id}`;
  }
}
