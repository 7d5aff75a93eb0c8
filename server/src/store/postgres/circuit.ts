import type { ReportAvailability } from '../../platform/availability.ts';
import { LateError, withDeadline } from '../../platform/connections/deadline.ts';

/** The maximum wait of a request. */
const answerWithinMs = 500;
/** No request waits for a probe, which may have to reconnect. */
const probeWithinMs = 2_000;
const probeEveryMs = 1_000;

/** Keeps requests from a server that failed, until a probe succeeds that no request waits for. */
export class Circuit {
  readonly #probe: () => Promise<unknown>;
  readonly #report: ReportAvailability;
  #isBroken = false;
  /** A probe in progress has no end yet. */
  #nextProbeMs = 0;

  constructor(probe: () => Promise<unknown>, report: ReportAvailability) {
    this.#probe = probe;
    this.#report = report;
  }

  /** Runs work; undefined if it fails or takes too long, or immediately while the server is known to fail. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#isBroken) {
      if (performance.now() >= this.#nextProbeMs) this.probe().catch(() => undefined);
      return undefined;
    }
    try {
      return await withDeadline(answerWithinMs, work(), 'The replica did not answer');
    } catch (error) {
      // A late response may be caused by the query; whether the server responds is decided by the probe.
      if (!(error instanceof LateError)) this.#note(error);
      else if (!this.#isBroken) {
        this.#isBroken = true;
        this.probe().catch(() => undefined);
      }
      return undefined;
    }
  }

  /** Probes the server, and rejects when it fails. */
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
