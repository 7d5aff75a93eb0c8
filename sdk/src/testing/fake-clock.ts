import { ConfigurationError } from '../errors.ts';

/** The clock of a fake platform and of its clients. It runs at normal speed, and `advance` moves it forward. */
export class FakeClock {
  #offsetMs: number;
  readonly #listeners: (() => void)[] = [];

  constructor(startsAt: Date | undefined) {
    this.#offsetMs = startsAt === undefined ? 0 : startsAt.getTime() - Date.now();
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => Date.now() + this.#offsetMs;

  /**
   * Moves the clock forward: tokens, messages and deadlines expire, and failed handlers become due.
   *
   * @param milliseconds 0 or more
   * @throws ConfigurationError
   * @example
   * platform.clock.advance(30 * 86_400_000); // 30 days: every token has expired
   */
  advance(milliseconds: number): void {
    if (!Number.isFinite(milliseconds) || milliseconds < 0) {
      throw new ConfigurationError(`milliseconds is ${milliseconds}; it must be a number of at least 0.`);
    }
    this.#offsetMs += milliseconds;
    for (const listener of this.#listeners) listener();
  }

  /** Adds a function that is called after each `advance`. */
  onAdvance(listener: () => void): void {
    this.#listeners.push(listener);
  }
}

const waitMaxMs = 5;

/** Waits at most 5 ms, so that retries and reconnects are fast in tests. The clock does not move. */
export function fakeSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(milliseconds, waitMaxMs),
    );
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
  });
}
