/**
 * Turns that this process holds beyond one transaction. On PostgreSQL a lock of
 * a session does that; the embedded database has a single session, whose locks exclude
 * nothing of this process.
 */
export class HeldTurns {
  readonly #counts = new Map<string, number>();

  /** Holds a turn until the returned function is called. */
  hold(turn: string): () => void {
    this.#counts.set(turn, this.#countOf(turn) + 1);
    return () => this.#counts.set(turn, this.#countOf(turn) - 1);
  }

  isHeld(turn: string): boolean {
    return this.#countOf(turn) > 0;
  }

  #countOf(turn: string): number {
    return this.#counts.get(turn) ?? 0;
  }
}
