import { limits } from '@agent-platform/contract';

export interface PageQuery {
  readonly page: number;
  readonly page_size: number;
}

export interface SearchQuery extends PageQuery {
  readonly q?: string;
  readonly specialty?: string;
}

/** Pages up to this number need no separate rate limit. */
export const nearPagesMax = 50;

/** Whether the cost of a page grows with the stored data: a search, or a page after many rows. */
export function isCostlyPage({ page, q = '', specialty = '' }: SearchQuery): boolean {
  return page > nearPagesMax || q !== '' || specialty !== '';
}

/** The limit is one item more than the page, to find out whether another page follows (§1.30). */
export function pageBoundsOf({ page, page_size }: PageQuery): { readonly offset: number; readonly limit: number } {
  return { offset: (page - 1) * page_size, limit: page_size + 1 };
}

/**
 * Prepares the statement of a first page for two sizes, the default and the maximum, because with the limit as a
 * parameter the planner would expect a large part of all rows. Returns a function that selects the statement by limit.
 */
export function prepareFirstPages<T>(prepare: (rows: number) => T): (limit: number) => T {
  const [usualRows, largestRows] = [limits.pageSizeDefault + 1, limits.pageSizeMax + 1];
  const [usual, largest] = [prepare(usualRows), prepare(largestRows)];
  return (limit) => (limit <= usualRows ? usual : largest);
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** Removes the extra row of a page that was read with `pageBoundsOf`. */
export function truncatePage<T>(rows: readonly T[], { page_size }: PageQuery): Page<T> {
  return { items: rows.slice(0, page_size), hasMore: rows.length > page_size };
}

/** The last allowed page has no next page, even if more rows follow (§1.30). */
export function pageFields(query: PageQuery, pageMax: number, hasMore: boolean) {
  const { page, page_size } = query;
  return { page, page_size, next_page: hasMore && page < pageMax ? page + 1 : null };
}
