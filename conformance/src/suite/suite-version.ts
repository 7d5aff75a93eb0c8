import { isObject, parseJson } from '../context/json.ts';
import { readPackageFile } from '../package-files.ts';

/** The version of this suite, for whoever compares two reports. */
export const suiteVersion: string = readVersion();

function readVersion(): string {
  const manifest = parseJson(readPackageFile('package.json'));
  return isObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : 'unknown';
}
