/**
 * Named locks that this process keeps for longer than a transaction. PostgreSQL has session locks for this purpose, but
 * the embedded database has a single session, whose locks do not exclude other work of this process.
 */
export class ProcessLocks {
  readonly #counts = new Map<string, number>();

  /** Locks until the returned function is called. Several callers may have the same lock. */
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
