import { limits } from '@agent-platform/contract/client';
import { ConnectionError } from '../errors.ts';
import { requireInteger } from '../integer-option.ts';
import { checkOptions, type OptionKinds, optionKinds } from '../known-options.ts';
import { ApiPromise, type ApiResult } from './api-promise.ts';

/** The paging fields of a list with page numbers. */
export interface Page {
  readonly page: number;
  readonly page_size: number;
  /** Null if there is no next page. */
  readonly next_page: number | null;
}

/** A page of a list with cursors; on the last page, the cursor is null. */
export interface CursorPage<C = string> {
  readonly next_before: C | null;
}

/** Reads a list page by page. A position is a page number or a cursor. */
interface PageReader<P, I, Position> {
  readonly read: (position: Position) => Promise<ApiResult<P>>;
  readonly itemsOf: (page: P) => readonly I[];
  /** The position of the next page; null after the last page. */
  readonly nextOf: (page: P) => Position | null;
  /** Returns the id of an item. Required if items can move to the next page between two reads. */
  readonly idOf?: (item: I) => string;
}

/**
 * The promise of a list: await it for one page, or iterate over it for all items of this page and the following ones,
 * which are read on demand. An item that moves to the next page between two reads is returned only once; an item that
 * is created in between is not returned.
 *
 * @example
 * const page = await platform.bots.list({ q: 'maps' });
 * for await (const bot of platform.bots.list({ q: 'maps' })) console.log(bot.handle);
 */
export class PagePromise<P, I, Position = number> extends ApiPromise<P> implements AsyncIterable<I> {
  readonly #reader: PageReader<P, I, Position>;

  constructor(first: Position, reader: PageReader<P, I, Position>) {
    super(reader.read(first));
    this.#reader = reader;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<I, void, undefined> {
    const { itemsOf, idOf } = this.#reader;
    let before: ReadonlySet<string | undefined> = new Set();
    for await (const page of this.pages()) {
      const items = itemsOf(page);
      for (const item of items) if (idOf === undefined || !before.has(idOf(item))) yield item;
      before = new Set(items.map((item) => idOf?.(item)));
    }
  }

  /**
   * Collects the items of this page and the following ones into an array, up to `limit` of them.
   *
   * @throws ConfigurationError `limit` is not an integer of at least 1; or an error of the call
   * @example
   * const orders = await platform.orders.list().toArray({ limit: 200 });
   */
  async toArray(options: { readonly limit: number }): Promise<I[]> {
    // The first page is already requested; without this, its failure would be unhandled if the limit is wrong.
    this.then(undefined, () => undefined);
    const limit: number = Object(options).limit;
    requireInteger('limit', limit, 1, Number.MAX_SAFE_INTEGER);
    const items: I[] = [];
    for await (const item of this) if (items.push(item) === limit) break;
    return items;
  }

  /**
   * Iterates over whole pages.
   *
   * @example
   * for await (const { bots } of platform.bots.list({ pageSize: 50 }).pages()) console.log(bots.length);
   */
  async *pages(): AsyncGenerator<P, void, undefined> {
    const seen = new Set<Position>();
    let page: P = await this;
    for (;;) {
      yield page;
      const next = this.#reader.nextOf(page);
      if (next === null) return;
      if (seen.has(next)) {
        throw new ConnectionError('unreadable_answer', `The server returned ${next} as the next page twice.`);
      }
      seen.add(next);
      page = (await this.#reader.read(next)).data;
    }
  }
}

/** The first page to read and the page size, for a list with page numbers. */
export interface PageQuery {
  /** 1 to 1000, for posts 1 to 100000; default 1. */
  readonly page?: number | undefined;
  /** 1 to 50, default 20. */
  readonly pageSize?: number | undefined;
}

interface NumberedQuery<Query extends PageQuery> {
  /** The name of the call, for error messages. */
  readonly call: string;
  readonly query: Query;
  readonly kinds: OptionKinds<Omit<Query, keyof PageQuery>>;
}

export function makePagePromise<P extends Page, I extends { readonly id: string }, Query extends PageQuery>(
  { call, query, kinds }: NumberedQuery<Query>,
  itemsOf: (page: P) => readonly I[],
  read: (place: { readonly page: number; readonly page_size: number }) => Promise<ApiResult<P>>,
): PagePromise<P, I> {
  const nextOf = ({ page, next_page }: P) => {
    if (next_page === null || next_page > page) return next_page;
    throw new ConnectionError('unreadable_answer', `The server returned ${next_page} as the page after ${page}.`);
  };
  const readPage = async (page: number) => {
    checkOptions<object>(call, query, { page: optionKinds.number, pageSize: optionKinds.number, ...kinds });
    return await read({ page, page_size: query.pageSize ?? limits.pageSizeDefault });
  };
  return new PagePromise(query.page ?? 1, { read: readPage, itemsOf, nextOf, idOf: ({ id }) => id });
}

export function makeCursorPagePromise<P extends CursorPage<C>, I, C = string>(
  first: C | undefined,
  itemsOf: (page: P) => readonly I[],
  read: (before: C | undefined) => Promise<ApiResult<P>>,
): PagePromise<P, I, C | undefined> {
  return new PagePromise<P, I, C | undefined>(first, { read, itemsOf, nextOf: ({ next_before }) => next_before });
}
