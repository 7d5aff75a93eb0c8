import { isFinal } from '@agent-platform/contract';
import { ApiError, ConfigurationError, ConnectionError } from '../errors.ts';
import type { Sleep } from '../transport/sleep.ts';
import type { OrderChangeSource } from './order-change-notifier.ts';
import type { Order } from './order-types.ts';

/** How an order is watched. */
export interface WatchOptions {
  /** Ends the watch with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How often the order is read while no event stream is open. Default 5,000. */
  readonly pollEveryMs?: number | undefined;
}

/** What watching needs of the client. */
export interface Watching {
  readonly orderId: string;
  readonly read: (signal: AbortSignal | undefined) => Promise<Order>;
  readonly news: OrderChangeSource;
  readonly sleep: Sleep;
}

const pollEveryMsDefault = 5_000;
// An event may be lost on a connection that is dead and does not know it yet,
// and another connection of the same agent may have settled it first.
const lookAnywayEveryMs = 15_000;

/**
 * Gives an order as it is now, then at every change of its version, and ends
 * with its final state. Events only say that it is time to read: what is given
 * was read, so a lost or repeated event does no harm, and changes in quick
 * succession come as the last one of them.
 */
export async function* watchOrder(
  { orderId, read, news, sleep }: Watching,
  { signal, pollEveryMs = pollEveryMsDefault }: WatchOptions,
): AsyncGenerator<Order, void, undefined> {
  if (!Number.isInteger(pollEveryMs) || pollEveryMs < 1) {
    throw new ConfigurationError(`pollEveryMs is ${pollEveryMs}; it has to be an integer from 1 on.`);
  }
  const bell = new Bell();
  const unfollow = news.follow(orderId, () => bell.ring());
  try {
    let version = 0;
    for (;;) {
      signal?.throwIfAborted();
      // What is told from here on is read in the next round.
      bell.silence();
      const order = await unlessOutage(() => read(signal));
      if (order !== undefined && order.version > version) {
        version = order.version;
        yield order;
        if (isFinal(order.state)) return;
      }
      const isTold = order !== undefined && news.isLive();
      await bell.rungWithin(isTold ? Math.max(pollEveryMs, lookAnywayEveryMs) : pollEveryMs, sleep, signal);
    }
  } finally {
    unfollow();
  }
}

// A watch outlives a server that restarts: what time may cure is looked at again.
async function unlessOutage(read: () => Promise<Order>): Promise<Order | undefined> {
  try {
    return await read();
  } catch (error) {
    const isOutage =
      error instanceof ConnectionError
        ? error.code === 'connection_failed' || error.code === 'timeout'
        : error instanceof ApiError && error.retryable;
    if (isOutage) return undefined;
    throw error;
  }
}

/** Remembers that it was rung, also while nobody listened. */
class Bell {
  #ring = Promise.withResolvers<void>();

  ring(): void {
    this.#ring.resolve();
  }

  silence(): void {
    this.#ring = Promise.withResolvers();
  }

  /** Resolves when it is rung or the time is over; rejects with the signal's reason. */
  async rungWithin(milliseconds: number, sleep: Sleep, signal: AbortSignal | undefined): Promise<void> {
    const timer = new AbortController();
    const waited = sleep(milliseconds, signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal]));
    // It loses against a ring, and its end is then nobody's failure.
    waited.catch(() => undefined);
    try {
      await Promise.race([waited, this.#ring.promise]);
    } finally {
      timer.abort();
    }
  }
}
