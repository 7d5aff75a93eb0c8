import { ConnectionError } from '../errors.ts';
import type { Page } from '../profiles/profile-and-post-types.ts';
import { ApiPromise, type ApiResult } from '../transport/api-promise.ts';

interface Item {
  readonly id: string;
}

/** How a list by pages is read on. */
export interface PageReading<P extends Page, I extends Item> {
  readonly itemsOf: (page: P) => readonly I[];
  readonly read: (page: number) => Promise<ApiResult<P>>;
}

/**
 * The promise of a list: await it for one page, or iterate over it for every
 * item of this page and the following ones, which are read when they are
 * reached. An item that moved to the next page meanwhile comes once.
 *
 * @example
 * const page = await platform.bots.list({ q: 'maps' });
 * for await (const bot of platform.bots.list({ q: 'maps' })) console.log(bot.handle);
 */
export class PagePromise<P extends Page, I extends Item> extends ApiPromise<P> implements AsyncIterable<I> {
  readonly #reading: PageReading<P, I>;

  constructor(first: number, reading: PageReading<P, I>) {
    super(reading.read(first));
    this.#reading = reading;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<I, void, undefined> {
    let before: ReadonlySet<string> = new Set();
    for await (const page of this.pages()) {
      const items = this.#reading.itemsOf(page);
      for (const item of items) if (!before.has(item.id)) yield item;
      before = new Set(items.map(({ id }) => id));
    }
  }

  /**
   * Goes through the pages themselves.
   *
   * @example
   * for await (const { bots } of platform.bots.list({ pageSize: 50 }).pages()) console.log(bots.length);
   */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let page: P = await this;
    for (;;) {
      yield page;
      const { next_page } = page;
      if (next_page === null) return;
      if (next_page <= page.page) {
        throw new ConnectionError(
          'unreadable_answer',
          `After page ${page.page} the server names ${next_page} as next.`,
        );
      }
      page = (await this.#reading.read(next_page)).data;
    }
  }
}
