import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireSpaceToOpen } from './free-space.ts';

export function embeddedDatabasePaths(dataDir: string) {
  return {
    current: join(dataDir, 'database'),
    /** The folder in which a restore builds the new database. */
    restoring: join(dataDir, 'database.restoring'),
    /** The previous database, while a restore replaces it with the new one. */
    replaced: join(dataDir, 'database.replaced'),
  };
}

export function hasEmbeddedDatabase(dataDir: string): boolean {
  const { current, replaced } = embeddedDatabasePaths(dataDir);
  return existsSync(current) || existsSync(replaced);
}

/** The file that a database contains until it is complete; a restored database never has one. */
const markOf = (folder: string) => join(folder, 'unfinished');

/**
 * Removes a new database whose creation was interrupted, and marks the next one as incomplete until
 * `markDatabaseComplete`. Fails if the disk is too full. The caller must have locked the data folder.
 */
export function beginNewDatabase(folder: string): void {
  if (existsSync(markOf(folder))) rmSync(folder, { recursive: true });
  const isNew = !existsSync(join(folder, 'PG_VERSION'));
  requireSpaceToOpen(dirname(folder), isNew);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isNew) writeFileSync(markOf(folder), '');
}

export function markDatabaseComplete(folder: string): void {
  rmSync(markOf(folder), { force: true });
}

/** Undoes a restore that was interrupted. The caller must have locked the folder. */
export function removeUnfinishedRestore(dataDir: string): void {
  const { current, restoring, replaced } = embeddedDatabasePaths(dataDir);
  if (existsSync(replaced) && !existsSync(current)) renameSync(replaced, current);
  for (const folder of [restoring, replaced]) rmSync(folder, { recursive: true, force: true });
}

export async function replaceEmbeddedDatabase(dataDir: string): Promise<void> {
  const { current, restoring, replaced } = embeddedDatabasePaths(dataDir);
  if (existsSync(current)) renameSync(current, replaced);
  renameSync(restoring, current);
  const handle = await open(dataDir, 'r');
  await handle.sync().finally(() => handle.close());
  rmSync(replaced, { recursive: true, force: true });
}
