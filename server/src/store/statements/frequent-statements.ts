import { nameOfPrepared } from './prepared.ts';

/** Executions of a text before it gets a name. */
const frequentFrom = 5;
/** Names at most: each connection of the database keeps the statement of each. */
const namesMax = 200;
/** Texts whose executions are counted; then counting starts anew. */
const countedMax = 1_000;

/** A plan of all columns breaks when a migration adds one. */
const hasAllColumns = /(?:\bselect|\breturning|[.,])\s*\*/i;

/**
 * Names statements that a process sends again and again, so that PostgreSQL keeps their plans on the connection.
 * Planning takes longer than most of these statements. The texts of one process are few, because values are parameters.
 */
export class FrequentStatements {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** The name under which to send this text, if any. A text without values is no statement that repeats. */
  nameOf(text: string, values: readonly unknown[]): string | undefined {
    const known = nameOfPrepared(text) ?? this.#names.get(text);
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
