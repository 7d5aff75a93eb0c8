import type { AgentPlatform } from '../agent-platform.ts';
import type { EventLease } from '../events/options.ts';
import { sleep } from '../transport/sleep.ts';

const pollEveryMs = 250;

/** Receives events while the server runs, from the first call that wants one; and leases them. */
export class EventReceiver {
  readonly #platform: AgentPlatform;
  readonly #signal: AbortSignal;
  #receiving: Promise<void> | undefined;
  #error: unknown;

  constructor(platform: AgentPlatform, signal: AbortSignal) {
    this.#platform = platform;
    this.#signal = signal;
  }

  /**
   * Leases the oldest event; waits for one until the time is over.
   *
   * @throws the error that ended the event stream permanently; the next call connects again
   */
  async next(leaseMs: number, waitMs: number, signal: AbortSignal): Promise<EventLease | undefined> {
    this.#receiving ??= this.#receive();
    const endsAt = performance.now() + waitMs;
    for (;;) {
      const lease = await this.#platform.events.next({ leaseMs });
      if (lease !== undefined) return lease;
      this.#throwError();
      if (performance.now() >= endsAt || this.#signal.aborted) return undefined;
      await sleep(pollEveryMs, signal);
    }
  }

  /** Resolves when receiving has stopped after the signal. */
  async ended(): Promise<void> {
    await this.#receiving;
  }

  async #receive(): Promise<void> {
    try {
      for await (const _ of this.#platform.events.receive({ signal: this.#signal }));
    } catch (error) {
      this.#error = error;
    }
    this.#receiving = undefined;
  }

  #throwError(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error;
  }
}
