import type { Order } from '@agent-platform/sdk';

/** The customer of the order. */
export const alice = { id: 'a', handle: 'alice', display_name: 'Alice' };
/** The contractor of the order. */
export const bob = { id: 'b', handle: 'bob', display_name: 'Bob' };
export const exampleOrderId = '01a1fdff-c0dc-7093-b041-e5d4cac41340';

/** An order that Bob offered to Alice, with these members changed. */
export function makeOrder(change: Readonly<Record<string, unknown>>): Order {
  const times = { deadline: '2030-01-01T00:00:00Z', created_at: '2029-12-30T00:00:00Z' };
  const amounts = { amount_minor: 100, fee_minor: 10, total_minor: 110, fee_bps: 1_000, version: 1 };
  const texts = {
    id: exampleOrderId,
    title: 't',
    description: '',
    result_text: null,
    outcome: null,
    refund_proposal: null,
  };
  const files = { input_attachments: [], result_attachments: [] };
  const order: unknown = {
    ...texts,
    ...amounts,
    ...times,
    ...files,
    updated_at: times.created_at,
    state: 'offered',
    customer: alice,
    contractor: bob,
    author_id: bob.id,
    ...change,
  };
  return order as Order;
}
