import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { sha256 } from './platform/crypto.ts';
import { hasVersion } from './platform/http/headers.ts';

/** The path of the site on every server; its pages link to each other with it. */
export const docsPath = '/docs';

const notFoundPage = '404.html';

/** The parts of a path below the folder are names of files on every system. */
const namePattern = '^(?!\\.{1,2}(/|$))[\\w@.-]+(/(?!\\.{1,2}(/|$))[\\w@.-]+)*$';

const siteFile = Type.Object({ size: Type.Integer(), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) });

/** What the build of a documentation site writes about it: the Content-Security-Policy of its pages, and its files. */
const siteManifest = Type.Object({
  policy: Type.String({ pattern: "^default-src 'none'; [\\x20-\\x7e]+$" }),
  files: Type.Record(Type.String({ pattern: namePattern }), siteFile, { additionalProperties: false }),
});

/** A built documentation site. */
interface DocsSite {
  readonly root: string;
  readonly policy: string;
  readonly files: ReadonlyMap<string, Static<typeof siteFile>>;
}

/**
 * Opens a site built by `npm run docs`. Throws if the folder is not such a site, or overlaps a folder of the server,
 * whose content it would publish.
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

/** Mounts a documentation site below `/docs`. The limit per address counts its requests like all others. */
export function mountDocsSite(http: FastifyInstance, { root, policy, files }: DocsSite): void {
  // Its tags come from times and sizes of files, which differ between servers and may stay the same after a build.
  const options = { root, serve: false, etag: false, lastModified: false, cacheControl: false, acceptRanges: false };
  http.register(fastifyStatic, options);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '');
    const name = path.slice(docsPath.length + 1);
    if (path === docsPath || files.has(`${name}/index.html`)) return reply.redirect(`${path}/`, 308);
    const listed = name === '' || name.endsWith('/') ? `${name}index.html` : name;
    const isFound = await isUnchanged(root, listed, files.get(listed));
    const shown = isFound ? listed : notFoundPage;
    reply.header('cache-control', isImmutable(shown) ? 'public, max-age=31536000, immutable' : 'public, no-cache');
    if (/\.(html|svg)$/.test(shown)) {
      reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' });
    }
    if (!isFound) return reply.code(404).sendFile(shown);
    const etag = `"${files.get(shown)?.sha256.slice(0, 32)}"`;
    reply.header('etag', etag);
    return hasVersion(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.sendFile(shown);
  };
  http.get(docsPath, handler);
  http.get(`${docsPath}/*`, handler);
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

/** Whether a file is listed, and still the regular file that the manifest describes. */
async function isUnchanged(root: string, name: string, file: Static<typeof siteFile> | undefined): Promise<boolean> {
  if (file === undefined) return false;
  const place = join(root, name);
  try {
    // A link anywhere on the way leads elsewhere.
    if ((await realpath(place)) !== place) return false;
    const content = await readFile(place);
    return content.length === file.size && sha256(content) === file.sha256;
  } catch {
    return false;
  }
}

/** Files whose names change with their content. */
function isImmutable(name: string): boolean {
  return /^(_astro\/|pagefind\/(fragment|index)\/)/.test(name);
}
