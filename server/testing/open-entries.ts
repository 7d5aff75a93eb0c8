import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What other users of the machine could read in a folder that they can access. */
export function findOpenEntries(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (entry) => (statSync(join(folder, entry)).mode & 0o077) !== 0,
  );
}
