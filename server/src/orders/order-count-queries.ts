import { type OrderState, orderStates } from '@agent-platform/contract';
import { safeInteger } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

/** How many orders are in each state. */
export async function countOrders(reader: Reader): Promise<Readonly<Record<OrderState, number>>> {
  const rows = await reader
    .selectFrom('orders')
    .groupBy('state')
    .select(({ fn }) => ['state', fn.countAll<string | number>().as('count')])
    .execute();
  const counts = new Map(rows.map(({ state, count }) => [state, safeInteger(count)]));
  return Object.fromEntries(orderStates.map((state) => [state, counts.get(state) ?? 0])) as Record<OrderState, number>;
}
