import { constants, cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** Names the folder of an embedded database with its tables and nothing in them; set for the tests of a run. */
export const emptyDatabaseVariable = 'AGENT_PLATFORM_EMPTY_DATABASE';

/**
 * Lays an empty embedded database into a data folder, as the server itself would
 * make it: a copy takes a twentieth of the time. A folder that has one is left alone,
 * and so is every folder outside of a run of tests.
 */
export function layEmptyDatabase(dataDir: string): void {
  const empty = process.env[emptyDatabaseVariable];
  const folder = join(dataDir, 'database');
  if (empty === undefined || existsSync(folder)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  cpSync(empty, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}
