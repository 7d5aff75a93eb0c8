/**
 * Remembers the entries that came last, so many at least and twice as many at
 * most: when the young half is full, the old half is forgotten.
 */
export class Recollection<T> {
  // Made when it is needed: most connections of a server are idle.
  #young: Map<string, T> | undefined;
  #old: Map<string, T> | undefined;
  readonly #keeps: number;

  constructor(keeps: number) {
    this.#keeps = keeps;
  }

  get(key: string): T | undefined {
    return this.#young?.get(key) ?? this.#old?.get(key);
  }

  set(key: string, value: T): void {
    if (this.#young !== undefined && this.#young.size >= this.#keeps && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = undefined;
    }
    this.#young ??= new Map();
    this.#young.set(key, value);
  }
}
