import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const omitted = new Set(['.git', '.runtime', '.astro', 'node_modules', 'dist', 'data', 'packages', 'files']);
const generated = ['site/src/content/docs', 'site/src/content/staged.json'];
// Copies of CHANGELOG.md only exist while a package is being packed.
const packedCopy = /^[^/]+\/CHANGELOG\.md$/;
const kinds = /\.(md|ts|mjs|json|yaml|css|astro|svg|png)$/;

/** Hashes all files that may affect the site, so that an unchanged site is not built again. */
export function hashInputs(root: string): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of filesBelow(root, root)) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function filesBelow(root: string, folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = relative(root, join(folder, entry.name)).replaceAll('\\', '/');
    if (omitted.has(entry.name) || generated.includes(path) || packedCopy.test(path)) return [];
    if (entry.isDirectory()) return filesBelow(root, join(folder, entry.name));
    return isInput(entry) ? [path] : [];
  });
}

function isInput(entry: Dirent): boolean {
  return entry.isFile() && kinds.test(entry.name) && !entry.name.endsWith('.test.ts');
}
