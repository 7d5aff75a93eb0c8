import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { SiteManifest } from '../finish/manifest.ts';
import { searchRanking } from '../finish/search-weight.ts';
import { serveSite } from '../serve-site.ts';
import { siteFolder } from '../stage/staged.ts';

const run = promisify(execFile);

export interface SearchResult {
  readonly path: string;
  readonly title: string;
}

/** Builds the site unless it is up to date, and serves it like a server with PLATFORM_DOCS_DIR. */
export async function openBuiltSite() {
  await run(process.execPath, [join(siteFolder, 'main.ts'), '--build']);
  const folder = join(siteFolder, 'dist');
  const { url, close } = await serveSite(folder);
  const manifest: SiteManifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const pagefind = await import(pathToFileURL(join(folder, 'pagefind/pagefind.js')).href);
  await pagefind.options({
    basePath: `${url}/docs/pagefind/`,
    baseUrl: '/docs/',
    noWorker: true,
    ranking: searchRanking,
  });
  return {
    folder,
    url,
    manifest,
    /** Uses the index and the search code of the built site, like the browser. */
    search: async (words: string): Promise<readonly SearchResult[]> => {
      const { results } = await pagefind.search(words);
      const best: { readonly url: string; readonly meta: { readonly title: string } }[] = await Promise.all(
        results.slice(0, 8).map((result: { data(): Promise<unknown> }) => result.data()),
      );
      return best.map(({ url: path, meta }) => ({ path, title: meta.title }));
    },
    close,
  };
}
