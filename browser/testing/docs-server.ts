import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { docsPath } from '@agent-platform/server/docs-site';
import { serveSite } from '../../site/serve-site.ts';

const site = fileURLToPath(new URL('../../site/', import.meta.url));
const folder = join(site, 'dist');

/** Builds the site if it is missing, and serves it with the headers of the platform server. */
export async function serveDocs() {
  if (!existsSync(join(folder, 'manifest.json'))) {
    await promisify(execFile)(process.execPath, [join(site, 'main.ts'), '--build'], { cwd: join(site, '..') });
  }
  const { url, close } = await serveSite(folder);
  const pages = globSync('**/index.html', { cwd: folder }).map((file) => file.slice(0, -'index.html'.length));
  return {
    url: `${url}${docsPath}/`,
    /** Sorted paths, relative to `url`. */
    pages: pages.toSorted(),
    close,
  };
}
