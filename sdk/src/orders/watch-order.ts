import { isFinal } from '@agent-platform/contract/client';
import { isOutage } from '../handler-failures/outage.ts';
import { requireInteger } from '../integer-option.ts';
import { checkOptions, optionKinds } from '../known-options.ts';
import { timerMaxMs } from '../transport/call-options.ts';
import type { Sleep } from '../transport/sleep.ts';
import { withAnySignal } from '../transport/sleep.ts';
import type { OrderChangeSource } from './order-change-notifier.ts';
import type { Order } from './order-types.ts';

/** Options of `orders.watch()`. */
export interface WatchOptions {
  /** Aborting it ends the watch with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two reads of the order while no event stream is open. Default 5,000. */
  readonly pollEveryMs?: number | undefined;
}

interface WatchDependencies {
  readonly orderId: string;
  readonly read: (signal: AbortSignal | undefined) => Promise<Order>;
  readonly changes: OrderChangeSource;
  readonly sleep: Sleep;
}

const pollEveryMsDefault = 5_000;
// Polls even with an open stream, because an event can be missed if the connection is dead, or if another connection of
// the same agent acknowledges the event first.
const pollWithStreamEveryMs = 15_000;

/**
 * Yields the current order and then the order at every change of its version, until it is in a final state. Events only
 * trigger a read of the order, so a lost or repeated event does no harm. If several changes occur in quick succession,
 * only the last one is yielded.
 */
export async function* watchOrder(
  { orderId, read, changes, sleep }: WatchDependencies,
  options: WatchOptions,
): AsyncGenerator<Order, void, undefined> {
  checkOptions('orders.watch()', options, { signal: optionKinds.signal, pollEveryMs: optionKinds.number });
  const { signal } = options;
  const pollEveryMs = requireInteger('pollEveryMs', options.pollEveryMs ?? pollEveryMsDefault, 1, timerMaxMs);
  let changed = new AbortController();
  const unfollow = changes.follow(orderId, () => changed.abort());
  try {
    let version = 0;
    for (;;) {
      signal?.throwIfAborted();
      // A change after this line is read in the next iteration.
      changed = new AbortController();
      const order = await unlessOutage(() => read(signal));
      if (order !== undefined && order.version > version) {
        version = order.version;
        yield order;
        if (isFinal(order.state)) return;
      }
      const isLive = order !== undefined && changes.isLive();
      const waitMs = isLive ? Math.max(pollEveryMs, pollWithStreamEveryMs) : pollEveryMs;
      await withAnySignal([signal, changed.signal], (ended) => sleep(waitMs, ended)).catch((error: unknown) => {
        if (!changed.signal.aborted) throw error;
      });
    }
  } finally {
    unfollow();
  }
}

// Temporary failures are retried, so that a watch survives a server restart.
async function unlessOutage(read: () => Promise<Order>): Promise<Order | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isOutage(error)) return undefined;
    throw error;
  }
}
