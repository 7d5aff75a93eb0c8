/**
 * Named locks that this process keeps longer than one transaction. On PostgreSQL a lock of a session does that; the
 * embedded database has a single session, whose locks exclude nothing of this process.
 */
export class ProcessLocks {
  readonly #counts = new Map<string, number>();

  /** Keeps a lock until the returned function is called. Several callers may keep the same one. */
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
