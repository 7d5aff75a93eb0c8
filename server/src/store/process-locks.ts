/**
 * Named locks that this process holds for longer than a transaction. On PostgreSQL a session lock does this, but the
 * embedded database has a single session, whose locks exclude no other work of this process.
 */
export class ProcessLocks {
  readonly #counts = new Map<string, number>();

  /** Holds a lock until the returned function is called. Several callers may hold the same lock. */
  lock(name: string): () => void {
    this.#counts.set(name, this.#countOf(name) + 1);
    return () => this.#counts.set(name, this.#countOf(name) - 1);
  }

  isLocked(name: string): boolean {
    return this.#countOf(name) > 0;
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}
