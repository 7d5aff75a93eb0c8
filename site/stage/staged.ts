import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the site on its server. */
export const base = '/docs';

/** A page as it is handed to the build. */
export interface StagedPage {
  readonly path: string;
  readonly title: string;
  /** The document that it is made from, in the repository. */
  readonly source?: string;
  /** The Markdown version, with links to the Markdown of other pages. */
  readonly markdown: string;
}

interface Listed {
  readonly path: string;
  readonly title: string;
}

export interface Staged {
  readonly pages: readonly StagedPage[];
  /** The pages of the reference of the SDK, which no line of the contents names. */
  readonly sdkPages: readonly Listed[];
  /** The pages of the operations of the HTTP API, by their groups. */
  readonly httpPages: readonly (Listed & { readonly tag: string })[];
  /** The parts of split documents, by the paths of their pages. */
  readonly parts: Readonly<Record<string, readonly Listed[]>>;
}

/** A page of the reference of the SDK: its name below `reference/sdk`, and its Markdown with links between these names. */
export interface SdkPage {
  readonly name: string;
  readonly title: string;
  readonly body: string;
}

/** The folder of this package. */
export const siteFolder = join(import.meta.dirname, '..');

/** Where the stage leaves the list of pages for the build. */
export const stagedFile = join(siteFolder, 'src/content/staged.json');

/** The list of pages, as the stage has left it. */
export function readStaged(): Staged {
  return JSON.parse(readFileSync(stagedFile, 'utf8'));
}
