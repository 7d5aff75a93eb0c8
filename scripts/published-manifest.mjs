// The hook of `pnpm pack`: writes into each published manifest what all packages share, from the root manifest.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The files of the repository root that are copied into each tarball. pnpm adds the licence itself. */
export const sharedFiles = ['CHANGELOG.md', 'NOTICE'];

/**
 * The members that name the project. Those with its address are left out while the root manifest has none.
 *
 * @param {{ readonly author: string, readonly repository: string }} project
 * @param {string} directory
 */
export function describeProject({ author, repository }, directory) {
  if (repository === '') return { author };
  return {
    author,
    repository: { type: 'git', url: `git+${repository}.git`, directory },
    homepage: `${repository}/tree/main/${directory}#readme`,
    bugs: `${repository}/issues`,
  };
}

/** The root manifest, as far as the packages repeat it. */
export function readProject() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}

export const hooks = {
  /**
   * @param {{ readonly files: readonly string[] }} manifest
   * @param {string} folder
   */
  beforePacking(manifest, folder) {
    const files = [...manifest.files, ...sharedFiles];
    return { ...manifest, files, ...describeProject(readProject(), basename(folder)) };
  },
};
