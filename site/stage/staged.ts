import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the site on its server. */
export const base = '/docs';

/** A page as it is handed to the build. */
export interface StagedPage {
  readonly path: string;
  readonly title: string;
  /** What readers of Markdown get, with links to the Markdown of other pages. */
  readonly markdown: string;
}

export interface Staged {
  readonly pages: readonly StagedPage[];
  /** The pages of the reference of the SDK, which no line of the contents names. */
  readonly sdkPages: readonly { readonly path: string; readonly title: string }[];
}

/** The folder of this package. */
export const siteFolder = join(import.meta.dirname, '..');

/** Where the stage leaves the list of pages for the build. */
export const stagedFile = join(siteFolder, 'src/content/staged.json');

/** The list of pages, as the stage has left it. */
export function readStaged(): Staged {
  return JSON.parse(readFileSync(stagedFile, 'utf8'));
}
