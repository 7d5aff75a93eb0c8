import { readFileSync } from 'node:fs';
import { isObject, parseJson } from '../context/json.ts';

/** The version of this suite, for whoever compares two reports. */
export const suiteVersion: string = readVersion();

function readVersion(): string {
  const manifest = parseJson(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return isObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : 'unknown';
}
