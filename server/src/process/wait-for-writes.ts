import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../platform/logger.ts';
import { requireWrites } from '../store/postgres/watch-writes.ts';
import type { Store } from '../store/store.ts';
import { StoreReadOnlyError, StoreUnavailableError } from '../store/unavailable.ts';

/** A signal stopped the process before the server was ready. */
export class StartInterruptedError extends Error {
  override readonly name = 'StartInterruptedError';
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const tryAgainEveryMs = 1_000;

/** Waits until the database accepts writes, even if the database restarts in between. */
export async function waitForWrites(store: Store, log: Logger): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of signals) process.once(signal, stop);
  let isWaiting = false;
  try {
    for (;;) {
      try {
        return await requireWrites(store);
      } catch (error) {
        if (!(error instanceof (isWaiting ? StoreUnavailableError : StoreReadOnlyError))) throw error;
      }
      if (!isWaiting) log.warn('startup waits until the database accepts writes');
      isWaiting = true;
      await wait(tryAgainEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) throw new StartInterruptedError('stopped while waiting for the database');
    }
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
