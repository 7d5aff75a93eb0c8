import { setTimeout as wait } from 'node:timers/promises';
import { StorageUnavailable } from '../storage-failure.ts';

export interface CallLimits {
  readonly attemptsMax: number;
  /** An attempt is aborted when no bytes have been transferred for this long. */
  readonly stalledMs: number;
  /** The time limit of all attempts together. */
  readonly wholeMs: number;
}

/** Makes one attempt, which the signal aborts; calls `moved` whenever bytes have been transferred. */
export type CallAttempt<T> = (signal: AbortSignal, moved: () => void) => Promise<T>;

interface Failure {
  readonly reason: string;
  /** Whether another attempt may succeed. */
  readonly isPassing: boolean;
}

const firstPauseMs = 200;

export class RunningAttempts {
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(end: () => void): () => void {
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end();
  }
}

interface Call<T> {
  readonly name: string;
  readonly terms: CallLimits;
  readonly attempt: CallAttempt<T>;
  readonly explain: (error: unknown) => Failure;
  readonly running: RunningAttempts;
}

/**
 * Runs a call: retries temporary failures, and enforces the time limit. The AWS SDK does neither: with `maxAttempts: 3`
 * and `requestTimeout: 6_000` it did not repeat the put of a stream after a 503 or a reset connection, and gave up on a
 * frozen server after 18 s or 27 s (`socketTimeout`), not after 15 s.
 */
export async function callWithRetries<T>({ name, terms, attempt, explain, running }: Call<T>): Promise<T> {
  const { attemptsMax, stalledMs, wholeMs } = terms;
  const endsAt = performance.now() + wholeMs;
  for (let number = 1; ; number += 1) {
    const outcome = await runAttempt(attempt, running, stalledMs, endsAt - performance.now());
    if ('value' in outcome) return outcome.value;
    const { reason, isPassing } = outcome.isLate ? late : explain(outcome.error);
    const pauseMs = firstPauseMs * 2 ** (number - 1) * (1 + Math.random());
    const hasTime = !running.isClosed && performance.now() + pauseMs < endsAt;
    if (!isPassing || number === attemptsMax || !hasTime) {
      throw new StorageUnavailable(`${name}: ${reason}${number === 1 ? '' : `, ${number} times`}.`);
    }
    await wait(pauseMs);
  }
}

const late: Failure = { reason: 'no response in time', isPassing: true };

async function runAttempt<T>(attempt: CallAttempt<T>, running: RunningAttempts, stalledMs: number, leftMs: number) {
  const ending = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<{ readonly error: unknown; readonly isLate: true }>();
  const end = () => {
    ending.abort();
    resolve({ error: undefined, isLate: true });
  };
  const stalled = setTimeout(end, stalledMs);
  const whole = setTimeout(end, leftMs);
  const remove = running.add(end);
  const working = attempt(ending.signal, () => stalled.refresh()).then(
    (value) => ({ value }),
    (error: unknown) => {
      const isLate = ending.signal.aborted;
      // Also aborts those parts of the attempt that still run.
      ending.abort();
      return { error, isLate };
    },
  );
  // Does not wait for the library after an abort, because the library may ignore the signal.
  return await Promise.race([working, ended]).finally(() => {
    clearTimeout(stalled);
    clearTimeout(whole);
    remove();
  });
}
