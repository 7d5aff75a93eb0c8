import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Finds files and folders that other users of the machine may access in any way. */
export function findExposedEntries(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (entry) => (statSync(join(folder, entry)).mode & 0o077) !== 0,
  );
}
