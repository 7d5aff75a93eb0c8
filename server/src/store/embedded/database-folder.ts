import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** The names that the embedded database has in a data folder. */
export function embeddedFolders(dataDir: string) {
  return {
    current: join(dataDir, 'database'),
    /** The mark of a new one that is not whole yet. */
    unfinished: join(dataDir, 'database.unfinished'),
    /** Where a restore makes it. */
    restoring: join(dataDir, 'database.restoring'),
    /** The one before, while a restore puts the new one in its place. */
    replaced: join(dataDir, 'database.replaced'),
  };
}

/** Whether a start or a command has made an embedded database there. */
export function hasEmbedded(dataDir: string): boolean {
  const { current, replaced } = embeddedFolders(dataDir);
  return existsSync(current) || existsSync(replaced);
}

/** Removes a new database whose making was killed, and marks the next one until `markWhole`. The caller holds the lock of the folder. */
export function beginNewDatabase(dataDir: string): void {
  const { current, unfinished } = embeddedFolders(dataDir);
  if (existsSync(unfinished)) rmSync(current, { recursive: true, force: true });
  if (!existsSync(current)) writeFileSync(unfinished, '');
}

/** Tells that the database is whole. */
export function markWhole(dataDir: string): void {
  rmSync(embeddedFolders(dataDir).unfinished, { force: true });
}

/** Undoes a restore that was killed. The caller holds the lock of the folder. */
export function removeUnfinishedRestore(dataDir: string): void {
  const { current, restoring, replaced } = embeddedFolders(dataDir);
  if (existsSync(replaced) && !existsSync(current)) renameSync(replaced, current);
  for (const folder of [restoring, replaced]) rmSync(folder, { recursive: true, force: true });
}

/** Puts the restored database in the place of the current one, if there is one. */
export async function replaceEmbedded(dataDir: string): Promise<void> {
  const { current, restoring, replaced } = embeddedFolders(dataDir);
  if (existsSync(current)) renameSync(current, replaced);
  renameSync(restoring, current);
  const handle = await open(dataDir, 'r');
  await handle.sync().finally(() => handle.close());
  rmSync(replaced, { recursive: true, force: true });
}
