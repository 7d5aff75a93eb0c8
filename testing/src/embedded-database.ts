import { constants, cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** The environment variable for the folder of an embedded database with empty tables; set during a test run. */
export const emptyDatabaseVariable = 'AGENT_PLATFORM_EMPTY_DATABASE';

/**
 * Copies an empty embedded database into a data folder, which is 20 times as fast as creating the database. Does
 * nothing if the folder has a database, or outside a test run.
 */
export function copyEmptyDatabase(dataDir: string): void {
  const empty = process.env[emptyDatabaseVariable];
  const folder = join(dataDir, 'database');
  if (empty === undefined || existsSync(folder)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  cpSync(empty, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}
