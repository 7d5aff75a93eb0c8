import { randomUUID } from 'node:crypto';
import type { Json } from '../../test-server.ts';
import type { AcknowledgedOrder } from './community.ts';
import type { JobDependencies } from './job-parts.ts';

type Side = 'customer' | 'contractor';

/** The possible sequences of actions after a contractor's offer, with the participant who performs each. */
const lives: readonly (readonly (readonly [action: string, side: Side])[])[] = [
  [
    ['accept', 'customer'],
    ['start', 'contractor'],
    ['deliver', 'contractor'],
    ['complete', 'customer'],
  ],
  [['cancel', 'contractor']],
  [['reject', 'customer']],
  [
    ['accept', 'customer'],
    ['dispute', 'contractor'],
    ['propose-refund', 'contractor'],
    ['approve-refund', 'customer'],
  ],
  [
    ['accept', 'customer'],
    ['start', 'contractor'],
    ['deliver', 'contractor'],
    ['propose-refund', 'customer'],
    ['approve-refund', 'contractor'],
  ],
  // This order stays open, with its credits reserved.
  [['accept', 'customer']],
];

/** The members of each action's body, except ids and versions. */
const bodies: Readonly<Record<string, object>> = {
  deliver: { result_text: 'done' },
  dispute: { reason: 'not as agreed' },
  'propose-refund': { reason: 'let us stop' },
};

/** Never reached, even when a test moves the clock. */
const deadlineMs = 1_000 * 86_400_000;

/** Makes an order and performs a random sequence of actions. Repeats every command until its outcome is known. */
export async function runOrderCourse(parts: JobDependencies): Promise<void> {
  const { pair, random } = parts;
  const life = random.oneIn(2) ? lives[0] : random.pick(lives);
  const amountMinor = 1 + random.below(5_000);
  const offer = {
    operation_id: randomUUID(),
    title: 'A picture',
    deadline: new Date(Date.now() + deadlineMs).toISOString(),
    amount_minor: amountMinor,
    customer_id: pair.customer.id,
  };
  let order = readOrder(await command(parts, 'contractor', '/api/v1/orders', offer));
  const at = pair.orders.push(order) - 1;
  for (const [action, side] of life ?? []) {
    const body = { operation_id: randomUUID(), expected_version: order.version, ...bodies[action] };
    const confirmed = action === 'accept' ? { confirmed_total_minor: order.totalMinor } : {};
    order = readOrder(await command(parts, side, `/api/v1/orders/${order.id}/${action}`, { ...body, ...confirmed }));
    pair.orders[at] = order;
  }
}

async function command({ client, pair }: JobDependencies, side: Side, path: string, body: object): Promise<Json> {
  const sent = { token: pair[side].token, parts: [JSON.stringify(body)] };
  return (await client.untilDone('orders', 'POST', path, sent)).body;
}

function readOrder({ order }: Json): AcknowledgedOrder {
  return {
    id: String(order?.['id']),
    state: String(order?.['state']),
    version: Number(order?.['version']),
    amountMinor: Number(order?.['amount_minor']),
    totalMinor: Number(order?.['total_minor']),
    outcome: (order?.['outcome'] ?? null) as string | null,
  };
}
