import { setTimeout as wait } from 'node:timers/promises';
import { describeError } from '../platform/error-facts.ts';
import type { Logger } from '../platform/logger.ts';
import { StoreReadOnlyError, StoreUnavailableError } from '../store/unavailable.ts';

/** A signal stopped the process before the server was ready. */
export class StartInterruptedError extends Error {
  override readonly name = 'StartInterruptedError';
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const tryAgainEveryMs = 1_000;

/** Repeats an attempt until the database accepts writes, even if the database restarts in between. */
export async function waitForWrites<T>(attempt: () => Promise<T>, log: Logger): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  let isWaiting = false;
  try {
    for (;;) {
      try {
        const result = await attempt();
        if (!stopping.signal.aborted) return result;
      } catch (error) {
        if (!(error instanceof (isWaiting ? StoreUnavailableError : StoreReadOnlyError))) throw error;
        if (!isWaiting) {
          log.warn({ cause: describeError(error) }, 'startup waits until the database accepts writes');
          for (const signal of signals) process.once(signal, stop);
        }
        isWaiting = true;
      }
      await wait(tryAgainEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) throw new StartInterruptedError('stopped while waiting for the database');
    }
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
