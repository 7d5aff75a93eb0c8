import { constants, cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of an embedded database in which nothing has happened yet. */
    emptyDatabase: string;
  }
}

/**
 * Lays an empty embedded database into a data folder, as the server itself would
 * make it: a copy takes a tenth of the time. A folder that has one is left alone.
 */
export function layEmptyDatabase(dataDir: string): void {
  const folder = join(dataDir, 'database');
  if (existsSync(folder)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  cpSync(inject('emptyDatabase'), folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}
