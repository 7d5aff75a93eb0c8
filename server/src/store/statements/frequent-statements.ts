import { findPreparedName } from './prepared.ts';

/** How often a text is executed before it gets a name. */
const frequentFrom = 5;
/** The maximum number of names, because each database connection keeps the statement of each name. */
const namesMax = 200;
/** The number of texts whose executions are counted; above it, counting starts anew. */
const countedMax = 1_000;

/** Matches texts that get no name, because a plan for all columns breaks when a migration adds one. */
const hasAllColumns = /(?:\bselect|\breturning|[.,])\s*\*/i;

/**
 * Names statements that a process sends repeatedly, so that PostgreSQL keeps their plans on the connection. Planning
 * takes longer than most of these statements. A process sends few different texts, because values are parameters.
 */
export class FrequentStatements {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** Returns undefined if the text has no name. A text without values is not counted. */
  nameOf(text: string, values: readonly unknown[]): string | undefined {
    const known = findPreparedName(text) ?? this.#names.get(text);
    if (known !== undefined || values.length === 0 || this.#names.size === namesMax) return known;
    const count = (this.#counts.get(text) ?? 0) + 1;
    if (count < frequentFrom || hasAllColumns.test(text)) {
      if (this.#counts.size === countedMax) this.#counts.clear();
      this.#counts.set(text, count);
      return undefined;
    }
    this.#counts.delete(text);
    const name = `frequent-${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
