import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Finds the files and folders in a folder whose permissions give other users of the machine any access. */
export function findExposedEntries(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (entry) => (statSync(join(folder, entry)).mode & 0o077) !== 0,
  );
}
