import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The URL path of the site on its server. */
export const sitePath = '/docs';

/** A page, as the site build reads it. */
export interface StagedPage {
  readonly path: string;
  readonly title: string;
  /** The document in the repository from which the page is generated. */
  readonly source?: string;
  /** The Markdown version, with links to the Markdown of other pages. */
  readonly markdown: string;
}

interface Listed {
  readonly path: string;
  readonly title: string;
}

export interface StagedSite {
  readonly pages: readonly StagedPage[];
  /** The SDK reference pages, which `contents.ts` does not list. */
  readonly sdkPages: readonly Listed[];
  /** The pages of the HTTP operations, by group. */
  readonly httpPages: readonly (Listed & { readonly tag: string })[];
  /** The parts of split documents, by the path of the document's page. */
  readonly parts: Readonly<Record<string, readonly Listed[]>>;
}

/** A page of the SDK reference. `name` is its path below `reference/sdk`, by which other pages link to it. */
export interface SdkPage {
  readonly name: string;
  readonly title: string;
  readonly body: string;
}

/** The folder of this package. */
export const siteFolder = join(import.meta.dirname, '..');

/** The file to which `stage` writes the list of pages. */
export const stagedSiteFile = join(siteFolder, 'src/content/staged.json');

/** Reads the list of pages that `stage` wrote. */
export function readStagedSite(): StagedSite {
  return JSON.parse(readFileSync(stagedSiteFile, 'utf8'));
}
