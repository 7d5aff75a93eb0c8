import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const sitePath = '/docs';

export interface StagedPage {
  readonly path: string;
  readonly title: string;
  /** The document in the repository on which the page is based. */
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

/** `name` is the path below `reference/sdk`, which other pages link to. */
export interface SdkPage {
  readonly name: string;
  readonly title: string;
  readonly body: string;
}

export const siteFolder = join(import.meta.dirname, '..');

export const stagedSiteFile = join(siteFolder, 'src/content/staged.json');

export function readStagedSite(): StagedSite {
  return JSON.parse(readFileSync(stagedSiteFile, 'utf8'));
}
