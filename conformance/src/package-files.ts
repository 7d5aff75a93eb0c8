import { readFileSync } from 'node:fs';

/** Reads a file that is published beside the code; the build puts its only folder at the depth of this file. */
export function readPackageFile(name: 'package.json' | 'requirements.yaml'): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
}
