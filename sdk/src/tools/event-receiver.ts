import type { EventKind } from '@agent-platform/contract';
import type { AgentPlatform } from '../agent-platform.ts';
import type { EventLease } from '../events/options.ts';
import { sleep } from '../transport/sleep.ts';

const pollEveryMs = 250;
/** The time in which the server can send the events that were waiting when receiving started. */
const firstEventsMs = 1_500;

/** Receives events until the program ends, starting with the first call that needs them, and remembers leases. */
export class EventReceiver {
  readonly #platform: AgentPlatform;
  readonly #signal: AbortSignal;
  readonly #leased = new Map<string, readonly (readonly [eventId: string, leaseId: string | undefined])[]>();
  #receiving: Promise<void> | undefined;
  #error: unknown;
  #isResuming = false;

  constructor(platform: AgentPlatform, signal: AbortSignal) {
    this.#platform = platform;
    this.#signal = signal;
  }

  /** Starts receiving, and waits a fixed time for the events that are due; does nothing if already receiving. */
  async start(signal: AbortSignal): Promise<void> {
    void this.#resume();
    if (this.#receiving !== undefined) return;
    this.#receiving = this.#receive();
    await sleep(firstEventsMs, signal);
  }

  /**
   * Leases the oldest due event; if there is none, waits for one up to `waitMs`.
   *
   * @throws the error that permanently ended the event stream; the next call connects again
   */
  async next(leaseMs: number, waitMs: number, signal: AbortSignal): Promise<EventLease | undefined> {
    this.#receiving ??= this.#receive();
    void this.#resume();
    const endsAt = performance.now() + waitMs;
    for (;;) {
      const lease = await this.#platform.events.next({ leaseMs });
      if (lease !== undefined) return lease;
      this.#throwError();
      if (performance.now() >= endsAt || this.#signal.aborted) return undefined;
      await sleep(pollEveryMs, signal);
    }
  }

  /** Remembers events that are finished together, under the lease id of the first one. */
  remember(leaseId: string, events: readonly (readonly [eventId: string, leaseId: string | undefined])[]): void {
    this.#leased.set(leaseId, events);
  }

  /** Finishes the events of a lease; returns false if one of them was leased again, or if the lease id is unknown. */
  async finish(leaseId: string): Promise<boolean> {
    const events = this.#leased.get(leaseId) ?? [];
    this.#leased.delete(leaseId);
    let isDone = events.length > 0;
    for (const event of events) isDone = (await this.#platform.events.done(...event)) && isDone;
    return isDone;
  }

  /** Resolves when receiving has stopped. */
  async ended(): Promise<void> {
    await this.#receiving;
  }

  // Sends stored messages whose outcome is unknown; they remain stored if this fails.
  async #resume(): Promise<void> {
    if (this.#isResuming) return;
    this.#isResuming = true;
    await this.#platform.messages.resume({ signal: this.#signal }).catch(() => undefined);
    this.#isResuming = false;
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

/** Finishes the waiting events whose content another call has already read or answered. */
export async function finishEvents(
  { events }: AgentPlatform,
  kind: EventKind,
  isKnown: (payload: Readonly<Record<string, unknown>>) => boolean,
): Promise<void> {
  for (const { event } of await events.list('waiting')) {
    if (event.kind === kind && isKnown(Object(event.payload))) await events.done(event.event_id);
  }
}
