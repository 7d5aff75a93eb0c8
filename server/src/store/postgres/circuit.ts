import type { AvailabilityReporter } from '../../platform/availability.ts';
import { DeadlineExceededError, withDeadline } from '../../platform/connections/deadline.ts';

/** The maximum time that a request waits for the server. */
const answerWithinMs = 500;
/** The limit is longer than for a request, because no request waits for a probe, which may have to reconnect. */
const probeWithinMs = 2_000;
const probeEveryMs = 1_000;

/** Sends no requests to a failed server until a background probe succeeds. */
export class CircuitBreaker {
  readonly #probe: () => Promise<unknown>;
  readonly #report: AvailabilityReporter;
  #isBroken = false;
  /** Infinite while a probe is in progress. */
  #nextProbeMs = 0;

  constructor(probe: () => Promise<unknown>, report: AvailabilityReporter) {
    this.#probe = probe;
    this.#report = report;
  }

  /** Runs work, unless the server is known to fail. Returns undefined if it is not run, fails or takes too long. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#isBroken) {
      if (performance.now() >= this.#nextProbeMs) this.probe().catch(() => undefined);
      return undefined;
    }
    try {
      return await withDeadline(answerWithinMs, work(), 'The replica did not answer');
    } catch (error) {
      // The query itself may be slow, so the probe decides whether the server responds.
      if (!(error instanceof DeadlineExceededError)) this.#note(error);
      else if (!this.#isBroken) {
        this.#isBroken = true;
        this.probe().catch(() => undefined);
      }
      return undefined;
    }
  }

  async probe(): Promise<void> {
    this.#nextProbeMs = Number.POSITIVE_INFINITY;
    try {
      await withDeadline(probeWithinMs, this.#probe(), 'The replica did not answer');
      this.#isBroken = false;
      this.#report(true);
    } catch (error) {
      this.#note(error);
      throw error;
    }
  }

  #note(error: unknown): void {
    this.#isBroken = true;
    this.#nextProbeMs = performance.now() + probeEveryMs;
    this.#report(false, error);
  }
}
