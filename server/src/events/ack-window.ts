import { AckFrame } from '@agent-platform/contract';
import { Compile } from 'typebox/schema';
import { RecentCache } from './recent-cache.ts';

/**
 * The kind of an ack on this connection. `first`: the first ack of the event in flight with this `number`. `late`:
 * the first ack of an event that was already settled or dropped. `repeat`: not the first ack. `foreign`: an ack of an
 * event that is not known to have been sent on this connection.
 */
export type AckOutcome =
  | { readonly kind: 'first'; readonly number: number }
  | { readonly kind: 'late' | 'repeat' | 'foreign'; readonly number?: undefined };

/** The minimum number of settled events that a connection remembers, to recognize repeated acks. */
const settledRemembered = 2_048;

/**
 * The events in flight on one connection, and a cache of settled ones (§7.20). Limits the number of events in flight,
 * and rejects events that were sent before. An event stays in flight until its ack is committed.
 */
export class AckWindow {
  readonly #max: number;
  /** The numbers of the events in flight, by event id. */
  readonly #inFlight = new Map<string, number>();
  /** The ids of events whose ack arrived on this connection but is not committed yet. */
  readonly #settling = new Set<string>();
  readonly #settled: RecentCache<'acknowledged' | 'gone'>;

  constructor(max: number, remembered: number = settledRemembered) {
    this.#max = max;
    this.#settled = new RecentCache(remembered);
  }

  get capacity(): number {
    return Math.max(0, this.#max - this.#inFlight.size);
  }

  get isEmpty(): boolean {
    return this.#inFlight.size === 0;
  }

  numbers(): readonly number[] {
    return [...this.#inFlight.values()];
  }

  /** Adds an event; returns false if the window is full or the event was sent before. */
  deliver(eventId: string, number: number): boolean {
    if (this.capacity === 0 || this.#inFlight.has(eventId) || this.#settled.get(eventId) !== undefined) return false;
    this.#inFlight.set(eventId, number);
    return true;
  }

  acknowledge(eventId: string): AckOutcome {
    const number = this.#inFlight.get(eventId);
    if (number !== undefined) {
      if (this.#settling.has(eventId)) return { kind: 'repeat' };
      this.#settling.add(eventId);
      return { kind: 'first', number };
    }
    const settled = this.#settled.get(eventId);
    if (settled === undefined) return { kind: 'foreign' };
    this.#settled.set(eventId, 'acknowledged');
    return { kind: settled === 'gone' ? 'late' : 'repeat' };
  }

  /** Removes events whose acks are committed. */
  settle(eventIds: readonly string[]): void {
    for (const id of eventIds) if (this.#settling.delete(id)) this.#remove(id, 'acknowledged');
  }

  /** Removes events that were dropped or settled on another connection, and so no longer wait for an ack. */
  forget(isGone: (number: number) => boolean): void {
    for (const [id, number] of this.#inFlight) if (!this.#settling.has(id) && isGone(number)) this.#remove(id, 'gone');
  }

  #remove(eventId: string, end: 'acknowledged' | 'gone'): void {
    this.#inFlight.delete(eventId);
    this.#settled.set(eventId, end);
  }
}

const ackFrame = Compile(AckFrame);

/** Returns the event id of an ack frame in lower case (§1.24), or undefined if the frame is not a valid ack. */
export function parseAckFrame(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return ackFrame.Check(value) ? value.event_id.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
