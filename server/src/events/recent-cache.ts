/** Keeps the last `capacity` entries and up to as many older ones: a full new half replaces the old half. */
export class RecentCache<T> {
  // The maps are created on demand, because most connections are idle.
  #newHalf: Map<string, T> | undefined;
  #oldHalf: Map<string, T> | undefined;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): T | undefined {
    return this.#newHalf?.get(key) ?? this.#oldHalf?.get(key);
  }

  set(key: string, value: T): void {
    if (this.#newHalf !== undefined && this.#newHalf.size >= this.#capacity && !this.#newHalf.has(key)) {
      this.#oldHalf = this.#newHalf;
      this.#newHalf = undefined;
    }
    this.#newHalf ??= new Map();
    this.#newHalf.set(key, value);
  }
}
