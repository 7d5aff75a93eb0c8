import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path also works in a build, because its code is at the same depth. */
export function readPackageFile(name: 'package.json' | 'requirements.yaml'): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
}

const manifest = JSON.parse(readPackageFile('package.json')) as { readonly version: string };

/** The version of this suite; reports with different versions are not comparable. */
export const suiteVersion = manifest.version;

export function registerDigest(): string {
  return createHash('sha256').update(readPackageFile('requirements.yaml')).digest('hex');
}

/** The SHA-256 of the suite's code without tests; it differs between builds with the same version. */
export function codeDigest(): string {
  const hash = createHash('sha256');
  const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /(?<!\.test|\.d)\.[jt]s$/.test(name));
  for (const name of names.toSorted()) {
    hash.update(`${name}\0`);
    hash.update(readFileSync(join(import.meta.dirname, name)));
  }
  return hash.digest('hex');
}
