import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Finds what other users of the machine could access in this folder if they can open it. */
export function findOpenEntries(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (entry) => (statSync(join(folder, entry)).mode & 0o077) !== 0,
  );
}
