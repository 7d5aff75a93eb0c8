import { ConnectionError } from '../errors.ts';
import { ApiPromise, type ApiResult } from '../transport/api-promise.ts';

/** A part of a list that is read on by a cursor; the cursor of the end is null. */
export interface CursorPage<C = string> {
  readonly next_before: C | null;
}

/** How a list by cursor is read on. */
export interface CursorReading<P extends CursorPage<C>, I, C = string> {
  readonly itemsOf: (page: P) => readonly I[];
  readonly read: (before: C | undefined) => Promise<ApiResult<P>>;
}

/**
 * The promise of a list by cursor: await it for one part, or iterate over it for
 * every item, of which more are read when they are reached. Newest first; what
 * comes into being meanwhile is not in it.
 *
 * @example
 * const { entries } = await platform.wallet.history();
 * for await (const entry of platform.wallet.history()) console.log(entry.kind, entry.delta_minor);
 */
export class CursorPromise<P extends CursorPage<C>, I, C = string> extends ApiPromise<P> implements AsyncIterable<I> {
  readonly #reading: CursorReading<P, I, C>;

  constructor(first: C | undefined, reading: CursorReading<P, I, C>) {
    super(reading.read(first));
    this.#reading = reading;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<I, void, undefined> {
    for await (const page of this.pages()) yield* this.#reading.itemsOf(page);
  }

  /**
   * Goes through the parts themselves.
   *
   * @example
   * for await (const { entries } of platform.wallet.history({ limit: 100 }).pages()) console.log(entries.length);
   */
  async *pages(): AsyncGenerator<P, void, undefined> {
    const seen = new Set<C>();
    let page: P = await this;
    for (;;) {
      yield page;
      const { next_before } = page;
      if (next_before === null) return;
      if (seen.has(next_before)) {
        throw new ConnectionError('unreadable_answer', `The server names ${next_before} as next a second time.`);
      }
      seen.add(next_before);
      page = (await this.#reading.read(next_before)).data;
    }
  }
}
