import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Somebody else holds the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/** A held folder; it is let go of by `release`, and by the death of the process. */
export interface FolderLock {
  release(): void;
}

const retryEveryMs = 100;
const databaseIsLocked = 5;

/**
 * Takes a folder for this process alone, waiting up to `waitMs` for another to
 * let go. The embedded database does not notice a second process and would be
 * damaged by it. The lock is SQLite's lock on an empty file, which the kernel
 * drops when its holder dies, however it dies: no pid to read, nothing stale.
 */
export async function lockFolder(folder: string, waitMs: number): Promise<FolderLock> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const givesUpAt = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(join(folder, 'in-use.lock'));
    if (lock !== undefined) return lock;
    if (performance.now() >= givesUpAt) {
      throw new FolderInUse(
        `The embedded database in ${folder} is in use by another process. Stop that one, choose another PLATFORM_DATA_DIR, or set DATABASE_URL to share a PostgreSQL server.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
  }
}

function tryLock(file: string): FolderLock | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && Reflect.get(error, 'errcode') === databaseIsLocked) return undefined;
    throw error;
  }
}
