import { constants, cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** The environment variable with the folder of an embedded database with empty tables; set during a test run. */
export const emptyDatabaseVariable = 'AGENT_PLATFORM_EMPTY_DATABASE';

/**
 * Copying an empty database is 20 times as fast as creating one. Does nothing outside a test run or if the folder
 * already has a database.
 */
export function copyEmptyDatabase(dataDir: string): void {
  const empty = process.env[emptyDatabaseVariable];
  const folder = join(dataDir, 'database');
  if (empty === undefined || existsSync(folder)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  cpSync(empty, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}
