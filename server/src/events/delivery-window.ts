import { Recollection } from './recollection.ts';

/**
 * What an ack means on this connection. `first`: of an event in flight, to be
 * settled under its number. `late`: the first one here of an event that was
 * settled or dropped meanwhile. `repeat`: said before. `foreign`: nothing that
 * this connection received, as far as it remembers.
 */
export type AckMeaning =
  | { readonly kind: 'first'; readonly number: number }
  | { readonly kind: 'late' | 'repeat' | 'foreign' };

/** How many settled events a connection remembers at least, to answer acks that come again. */
export const settledRemembered = 2_048;

/**
 * The events that one connection has received and that are not settled, and what
 * it remembers of the others (D-31): at most so many in flight, and none sent
 * twice. An ack counts once it is committed; until then its event keeps its place.
 */
export class DeliveryWindow {
  readonly #max: number;
  /** Sent and not acknowledged here, by event id, with their numbers. */
  readonly #unacknowledged = new Map<string, number>();
  /** Acknowledged here, and not committed yet. */
  readonly #settling = new Map<string, number>();
  readonly #settled: Recollection<'acknowledged' | 'gone'>;

  constructor(max: number, remembered: number = settledRemembered) {
    this.#max = max;
    this.#settled = new Recollection(remembered);
  }

  /** How many more may be sent. */
  get room(): number {
    return Math.max(0, this.#max - this.#unacknowledged.size - this.#settling.size);
  }

  get isEmpty(): boolean {
    return this.#unacknowledged.size + this.#settling.size === 0;
  }

  /** The numbers of what is in flight. */
  numbers(): readonly number[] {
    return [...this.#unacknowledged.values(), ...this.#settling.values()];
  }

  /** Takes an event into flight; false when it must not be sent, for want of room or because it was sent before. */
  deliver(eventId: string, number: number): boolean {
    if (this.room === 0 || this.#isInFlight(eventId) || this.#settled.get(eventId) !== undefined) return false;
    this.#unacknowledged.set(eventId, number);
    return true;
  }

  /** Notes an ack and tells what it means. */
  acknowledge(eventId: string): AckMeaning {
    const number = this.#unacknowledged.get(eventId);
    if (number !== undefined) {
      this.#unacknowledged.delete(eventId);
      this.#settling.set(eventId, number);
      return { kind: 'first', number };
    }
    if (this.#settling.has(eventId)) return { kind: 'repeat' };
    const settled = this.#settled.get(eventId);
    if (settled === undefined) return { kind: 'foreign' };
    this.#settled.set(eventId, 'acknowledged');
    return { kind: settled === 'gone' ? 'late' : 'repeat' };
  }

  /** Frees the places of events whose acks are committed. */
  settle(eventIds: readonly string[]): void {
    for (const id of eventIds) if (this.#settling.delete(id)) this.#settled.set(id, 'acknowledged');
  }

  /** Frees the places of events that are gone: settled on another connection, or dropped. */
  forget(isGone: (number: number) => boolean): void {
    for (const [id, number] of this.#unacknowledged) {
      if (!isGone(number)) continue;
      this.#unacknowledged.delete(id);
      this.#settled.set(id, 'gone');
    }
  }

  #isInFlight(eventId: string): boolean {
    return this.#unacknowledged.has(eventId) || this.#settling.has(eventId);
  }
}
