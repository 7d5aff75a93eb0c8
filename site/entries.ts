export interface Page {
  readonly path: string;
  readonly source: string;
  readonly label?: string;
  /** Keywords that rank this page first in the search. */
  readonly keywords?: string;
  /** Whether each of its sections becomes a separate page below it. */
  readonly isSplit?: true;
}

interface Made {
  readonly made: 'http' | 'sdk';
  readonly label: string;
}

export interface Group {
  readonly label: string;
  readonly entries: readonly Entry[];
}

export type Entry = Page | Made | Group;

/** Makes a page, without members for undefined parameters. */
export const page = (path: string, source: string, label?: string, keywords?: string): Page => ({
  path,
  source,
  ...(label === undefined ? {} : { label }),
  ...(keywords === undefined ? {} : { keywords }),
});
