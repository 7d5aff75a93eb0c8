import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another process uses the folder, or this user cannot write to it. */
export class FolderLockError extends Error {
  override readonly name = 'FolderLockError';
}

export interface FolderLock {
  release(): void;
}

const retryEveryMs = 100;
const databaseIsLocked = 5;
const cannotOpen = new Set([8, 14, 776]);

/**
 * Locks a folder for this process, waiting up to `waitMs` for another process to release it. The embedded database does
 * not detect a second process, which would damage it. The lock is an SQLite lock on an empty file. The kernel releases
 * it however the process ends, so no pid is stored and no lock becomes stale.
 */
export async function lockFolder(folder: string, waitMs: number): Promise<FolderLock> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const givesUpAt = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(folder);
    if (lock !== undefined) return lock;
    if (performance.now() >= givesUpAt) {
      throw new FolderLockError(
        `The embedded database in ${folder} is in use by another process. Stop that process, choose another PLATFORM_DATA_DIR, or set DATABASE_URL to share a PostgreSQL server.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
  }
}

function tryLock(folder: string): FolderLock | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(folder, 'in-use.lock'), { timeout: 0 });
    // Locking must also work on a full disk, where a journal file cannot be written.
    database.exec('pragma journal_mode = memory; begin exclusive');
    const locked = database;
    return { release: () => locked.close() };
  } catch (error) {
    database?.close();
    const code = error instanceof Error ? Number(Reflect.get(error, 'errcode')) : Number.NaN;
    if (code === databaseIsLocked) return undefined;
    if (!cannotOpen.has(code)) throw error;
    throw new FolderLockError(
      `The folder ${folder} is not writable by this user. Make this user its owner, or choose another PLATFORM_DATA_DIR.`,
      { cause: error },
    );
  }
}
