import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import { sha256 } from '../platform/crypto.ts';
import { hasVersion } from '../platform/http/headers.ts';
import { parseSiteManifest, type SiteFile } from './manifest.ts';

/** The path of the site on every server; its pages link to each other with it. */
export const docsPath = '/docs';

/** The answer to a request for a path of the site. */
export interface SiteReply {
  readonly status: 200 | 304 | 308 | 404;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** A built documentation site. */
export interface DocsSite {
  /** Answers a GET of a path that begins with `docsPath`; `known` is the value of `If-None-Match`. */
  read(path: string, known: string | undefined): Promise<SiteReply>;
}

const notFoundPage = '404.html';

/**
 * Opens a site that `npm run docs` has built. Throws when the folder is no such site, or shares files with the folders
 * of the server, whose content it would publish.
 */
export function openDocsSite(folder: string, ownFolders: readonly string[]): DocsSite {
  const root = realPathOf(folder);
  const own = ownFolders.find((place) => overlaps(root, realPathOf(place)));
  if (own !== undefined) {
    throw new Error(`PLATFORM_DOCS_DIR (${root}) overlaps ${own}, a folder of the server. Move the site out of it.`);
  }
  const place = join(root, 'manifest.json');
  const manifest = existsSync(place) ? parseSiteManifest(readFileSync(place, 'utf8')) : undefined;
  if (manifest === undefined || !manifest.files.has(notFoundPage)) {
    throw new Error(
      `PLATFORM_DOCS_DIR (${root}) is no built documentation site. Run "npm run docs -- --build", and name the folder site/dist.`,
    );
  }
  const { files, policy } = manifest;
  const readSite = async (name: string) => await readListed(root, name, files.get(name));
  const headersOf = (name: string, file: SiteFile) => ({
    'content-type': contentTypes[extname(name)] ?? 'application/octet-stream',
    'cache-control': isImmutable(name) ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    etag: `"${file.sha256.slice(0, 32)}"`,
    ...(/\.(html|svg)$/.test(name) ? { 'content-security-policy': policy, 'referrer-policy': 'same-origin' } : {}),
  });

  return {
    async read(path, known) {
      const name = path.slice(docsPath.length + 1);
      if (path === docsPath || files.has(`${name}/index.html`)) {
        return { status: 308, headers: { location: `${path}/` }, body: undefined };
      }
      const listed = name === '' || name.endsWith('/') ? `${name}index.html` : name;
      const file = files.get(listed);
      const content = await readSite(listed);
      if (file === undefined || content === undefined) {
        const page = await readSite(notFoundPage);
        const { etag: _, ...headers } = headersOf(notFoundPage, { size: 0, sha256: '' });
        return { status: 404, headers, body: page };
      }
      const headers = headersOf(listed, file);
      if (hasVersion(known, headers.etag)) return { status: 304, headers, body: undefined };
      return { status: 200, headers, body: content };
    },
  };
}

function realPathOf(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : resolve(folder);
}

function overlaps(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function isWithin(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return path === '' || !(path === '..' || path.startsWith(`..${sep}`));
}

/** Reads a listed file; undefined when it is not the regular file that the manifest describes. */
async function readListed(root: string, name: string, file: SiteFile | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  const place = join(root, name);
  try {
    // A link anywhere on the way leads elsewhere.
    if ((await realpath(place)) !== place) return undefined;
    const content = await readFile(place);
    const isListed = content.length === file.size && sha256(content) === file.sha256;
    return isListed ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Files whose names change with their content. */
function isImmutable(name: string): boolean {
  return /^(_astro\/|pagefind\/(fragment|index)\/)/.test(name);
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};
