// A `pnpm pack` hook: copies the shared members of the root manifest into each published manifest.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Files in the repository root that are copied into each tarball. pnpm adds the licence itself. */
export const sharedFiles = ['CHANGELOG.md', 'NOTICE'];

/**
 * The members that identify the project, without links until the root manifest has the repository's address.
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
