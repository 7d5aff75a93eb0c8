/** Which page of a list is asked for, as the query of every list by pages says it. */
export interface PageQuery {
  readonly page: number;
  readonly page_size: number;
}

/** What a query skips and takes: one item more than the page has, to know whether a page follows (D-6). */
export function boundsOf({ page, page_size }: PageQuery): { readonly offset: number; readonly limit: number } {
  return { offset: (page - 1) * page_size, limit: page_size + 1 };
}

/** A page of a list, and whether anything follows it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** Cuts what `boundsOf` let a query take back to the page. */
export function cutPage<T>(rows: readonly T[], { page_size }: PageQuery): Page<T> {
  return { items: rows.slice(0, page_size), hasMore: rows.length > page_size };
}

/**
 * The members of a page beside its items (D-6). After the last page that may
 * be asked for there is no next one, whatever follows: its number would be refused.
 */
export function pageFields(query: PageQuery, pageMax: number, hasMore: boolean) {
  const { page, page_size } = query;
  return { page, page_size, next_page: hasMore && page < pageMax ? page + 1 : null };
}
