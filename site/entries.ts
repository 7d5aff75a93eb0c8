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

export interface PageGroup {
  readonly label: string;
  readonly entries: readonly ContentsEntry[];
}

export type ContentsEntry = Page | Made | PageGroup;

/** Omits members whose parameters are undefined. */
export const page = (path: string, source: string, label?: string, keywords?: string): Page => ({
  path,
  source,
  ...(label === undefined ? {} : { label }),
  ...(keywords === undefined ? {} : { keywords }),
});
