import { nearPagesMax, type Page, type PageQuery, pageBoundsOf, truncatePage } from '../platform/page.ts';

/** The sort key of a row: the column that orders its list, and one that distinguishes rows with equal values. */
export type PageKey = readonly [unknown, unknown];

/** Where a page starts: after the row with this key, or after a number of rows. */
export interface PageStart {
  readonly after: PageKey | undefined;
  readonly offset: number;
  /** One row more than the page returns (§1.30). */
  readonly limit: number;
}

/** How long the end of a page is kept; an agent that reads page by page requests the next page sooner. */
const rememberedMs = 60_000;
const rememberedMax = 10_000;

/**
 * Remembers where recently read deep pages ended, so that the next page starts after the key of the last row instead of
 * skipping all rows before it.
 */
export class PageKeyCache {
  readonly #ends = new Map<string, { readonly key: PageKey; readonly untilMs: number }>();

  /** `list` identifies the list and its reader. */
  async read<Row>(
    list: string,
    query: PageQuery,
    keyOf: (row: Row) => PageKey,
    read: (start: PageStart) => Promise<readonly Row[]>,
  ): Promise<Page<Row>> {
    const { offset, limit } = pageBoundsOf(query);
    const after = query.page > nearPagesMax ? this.#find(`${list} ${offset}`) : undefined;
    const page = truncatePage(await read({ after, offset: after === undefined ? offset : 0, limit }), query);
    const last = page.items.at(-1);
    if (query.page >= nearPagesMax && page.hasMore && last !== undefined)
      this.#remember(`${list} ${offset + page.items.length}`, keyOf(last));
    return page;
  }

  #find(name: string): PageKey | undefined {
    const end = this.#ends.get(name);
    return end === undefined || end.untilMs < performance.now() ? undefined : end.key;
  }

  #remember(name: string, key: PageKey): void {
    this.#ends.delete(name);
    this.#ends.set(name, { key, untilMs: performance.now() + rememberedMs });
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > rememberedMax && oldest !== undefined) this.#ends.delete(oldest);
  }
}
