import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { sha256 } from './platform/crypto.ts';
import { matchesEtag } from './platform/http/headers.ts';

/** The path of the site on every server; links between its pages contain it. */
export const docsPath = '/docs';

const notFoundPage = '404.html';

/** Matches paths whose parts are valid file names on every operating system. */
const namePattern = '^(?!\\.{1,2}(/|$))[\\w@.-]+(/(?!\\.{1,2}(/|$))[\\w@.-]+)*$';

const siteFile = Type.Object({ size: Type.Integer(), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) });

/** The manifest that the site build writes: the Content-Security-Policy of the pages, and the list of files. */
const siteManifest = Type.Object({
  policy: Type.String({ pattern: "^default-src 'none'; [\\x20-\\x7e]+$" }),
  files: Type.Record(Type.String({ pattern: namePattern }), siteFile, { additionalProperties: false }),
});

interface DocsSite {
  readonly root: string;
  readonly policy: string;
  readonly files: ReadonlyMap<string, Static<typeof siteFile>>;
}

/**
 * Opens a site built by `npm run docs`. Throws if the folder is not such a site, or if it overlaps a folder of the
 * server, whose content would become public.
 */
export function openDocsSite(folder: string, ownFolders: readonly string[]): DocsSite {
  const root = realPathOf(folder);
  const own = ownFolders.find((place) => overlaps(root, realPathOf(place)));
  if (own !== undefined) {
    throw new Error(`PLATFORM_DOCS_DIR (${root}) overlaps ${own}, a folder of the server. Move the site out of it.`);
  }
  const manifest = readManifest(join(root, 'manifest.json'));
  const files = new Map(Object.entries(manifest?.files ?? {}));
  if (manifest === undefined || !files.has(notFoundPage)) {
    throw new Error(
      `PLATFORM_DOCS_DIR (${root}) is not a built documentation site. Run "npm run docs -- --build", and set the variable to the folder site/dist.`,
    );
  }
  return { root, policy: manifest.policy, files };
}

/**
 * Mounts a documentation site below `/docs`. Requests count towards the rate limit per address. A client that prefers
 * Markdown gets the Markdown version of a page, with absolute links.
 */
export function mountDocsSite(http: FastifyInstance, { root, policy, files }: DocsSite, origin: () => string): void {
  // Disables the library's ETags: they depend on file times and sizes, which differ between servers and may stay the
  // same after a build.
  const options = { root, serve: false, etag: false, lastModified: false, cacheControl: false, acceptRanges: false };
  http.register(fastifyStatic, options);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '');
    const name = path.slice(docsPath.length + 1);
    if (path === docsPath || files.has(`${name}/index.html`)) return reply.redirect(`${path}/`, 308);
    const copy = `${name.slice(0, -1)}.md`;
    if (name.endsWith('/') && files.has(copy)) reply.header('vary', 'accept');
    const page = name === '' || name.endsWith('/') ? `${name}index.html` : name;
    const listed = name.endsWith('/') && files.has(copy) && prefersMarkdown(request.headers.accept) ? copy : page;
    const isFound = await isUnchanged(root, listed, files.get(listed));
    const shown = isFound ? listed : notFoundPage;
    reply.header('cache-control', isImmutable(shown) ? 'public, max-age=31536000, immutable' : 'public, no-cache');
    if (/\.(html|svg)$/.test(shown)) {
      reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' });
    }
    if (!isFound) return reply.code(404).sendFile(shown);
    const isText = /^(?!files\/).*\.(md|txt)$/.test(shown);
    const hash = files.get(shown)?.sha256 ?? '';
    const etag = `"${(isText ? sha256(`${origin()}${hash}`) : hash).slice(0, 32)}"`;
    reply.header('etag', etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (!isText) return reply.sendFile(shown);
    reply.type(shown.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'text/plain; charset=utf-8');
    return reply.send(withOrigin(await readFile(join(root, shown), 'utf8'), origin()));
  };
  http.get(docsPath, handler);
  http.get(`${docsPath}/*`, handler);
}

function prefersMarkdown(accept = ''): boolean {
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim());
  const [markdown, html] = [types.indexOf('text/markdown'), types.indexOf('text/html')];
  return markdown >= 0 && (html < 0 || markdown < html);
}

/** Makes the links of a text absolute, because a client may store the text without its address. */
function withOrigin(text: string, origin: string): string {
  return text.replaceAll(`](${docsPath}/`, `](${origin}${docsPath}/`);
}

function readManifest(place: string): Static<typeof siteManifest> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(place, 'utf8'));
    return Check(siteManifest, manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
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

async function isUnchanged(root: string, name: string, file: Static<typeof siteFile> | undefined): Promise<boolean> {
  if (file === undefined) return false;
  const place = join(root, name);
  try {
    // A symbolic link in the path could point outside the site.
    if ((await realpath(place)) !== place) return false;
    const content = await readFile(place);
    return content.length === file.size && sha256(content) === file.sha256;
  } catch {
    return false;
  }
}

/** The names of these files change with their content. */
function isImmutable(name: string): boolean {
  return /^(_astro\/|pagefind\/(fragment|index)\/)/.test(name);
}
