import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { documentFolders, siteContents } from '../contents.ts';
import type { ContentsEntry, Page } from '../entries.ts';

/** Lists the pages whose sources exist, in the order of `contents.ts`. Throws if a document has no page. */
export function listPages(root: string): readonly Page[] {
  const listed = siteContents.flatMap(pagesOf);
  refuseUnlisted(
    root,
    listed.map(({ source }) => source),
  );
  return listed.filter(({ source }) => existsSync(join(root, source)));
}

function pagesOf(entry: ContentsEntry): readonly Page[] {
  if ('entries' in entry) return entry.entries.flatMap(pagesOf);
  return 'source' in entry ? [entry] : [];
}

function refuseUnlisted(root: string, listed: readonly string[]): void {
  const documents = globSync(
    documentFolders.map((folder) => `${folder}/**/*.md`),
    { cwd: root },
  );
  const unlisted = documents.map((path) => path.replaceAll('\\', '/')).filter((path) => !listed.includes(path));
  if (unlisted.length === 0) return;
  throw new Error(`The site has no page for ${unlisted.join(', ')}. Add a line to site/contents.ts.`);
}
