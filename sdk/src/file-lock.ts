import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StateError } from './errors.ts';
import { isSqliteBusy, loadSqlite } from './load-sqlite.ts';

const tryEveryMs = 50;

/**
 * Runs `work` while no other client or process has the lock on `file`. SQLite locks the file, which stays empty; the
 * kernel releases the lock when the process dies.
 *
 * @throws StateError `state_unusable` the lock was not released within `waitMs`, or there is no node:sqlite
 */
export async function withFileLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const sqlite = loadSqlite();
  if (sqlite === undefined) {
    throw new StateError(
      'state_unusable',
      `${file} cannot be locked: this JavaScript runtime has no node:sqlite. Use Node.js 22.19 or later without --no-experimental-sqlite.`,
    );
  }
  createPrivate(file);
  const database = new sqlite.DatabaseSync(file);
  try {
    const deadline = Date.now() + waitMs;
    while (!tryToEnter(() => database.exec('begin immediate'))) {
      if (Date.now() > deadline) {
        throw new StateError(
          'state_unusable',
          `Another process has locked ${file} for ${waitMs} ms. Stop it, then try again.`,
        );
      }
      await delay(tryEveryMs);
    }
    return await work();
  } finally {
    // No commit is needed, because nothing was written.
    database.close();
  }
}

function tryToEnter(begin: () => void): boolean {
  try {
    begin();
    return true;
  } catch (error) {
    if (isSqliteBusy(error)) return false;
    throw error;
  }
}

// An existing file is not opened, because closing a second descriptor would release this process's locks.
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}
