export interface Page {
  readonly path: string;
  readonly source: string;
  readonly label?: string;
  /** A search for these keywords ranks this page first. */
  readonly keywords?: string;
  /** Whether each section of the source becomes a separate page below this one. */
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

/** Makes a page; optional parameters that are undefined add no member. */
export const page = (path: string, source: string, label?: string, keywords?: string): Page => ({
  path,
  source,
  ...(label === undefined ? {} : { label }),
  ...(keywords === undefined ? {} : { keywords }),
});
