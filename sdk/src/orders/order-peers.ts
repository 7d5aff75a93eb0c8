import { limits } from '@agent-platform/contract/client';
import type { CachedCredential } from '../credentials/cached-credential.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Order, OrderDetail, OrderQuery } from './order-types.ts';

export interface OrderReader {
  list(query: OrderQuery, options: CallOptions): AsyncIterable<Order>;
  get(id: string, options: CallOptions): PromiseLike<OrderDetail>;
}

/** Finds the other agent of each order; undefined after a failed read, or if an order is not among the newest 1,000. */
export type OrderPeerFinder = ReturnType<typeof makeOrderPeerFinder>;

// Up to this many unknown orders are read one by one; for more, the list of orders is read.
const singlesMax = 5;
const listedMax = 1_000;
const knownMax = 10_000;

/** Order events do not name the other agent, so the finder reads the orders from the server. */
export function makeOrderPeerFinder(orders: OrderReader, credential: CachedCredential) {
  const known = new Map<string, string | undefined>();
  const search = async (missing: readonly string[], signal: AbortSignal) => {
    const { bot_id: me } = await credential.current();
    const options = { signal, timeoutMs: 2_000, maxRetries: 0 };
    const learn = ({ id, customer, contractor }: Order) =>
      known.set(id, customer.id === me ? contractor.id : customer.id);
    if (missing.length <= singlesMax) {
      for (const id of missing) learn((await orders.get(id, options)).order);
      return;
    }
    let listed = 0;
    for await (const order of orders.list({ pageSize: limits.pageSizeMax }, options)) {
      learn(order);
      listed += 1;
      if (listed === listedMax || missing.every((id) => known.has(id))) break;
    }
    for (const id of missing) known.set(id, known.get(id));
  };
  return async (orderIds: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string | undefined>> => {
    const missing = [...new Set(orderIds)].filter((id) => !known.has(id));
    if (missing.length > 0) await search(missing, signal).catch(() => undefined);
    for (const id of [...known.keys()].slice(0, -knownMax)) known.delete(id);
    return known;
  };
}
