import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findFaultyFiles } from '../attachments/stored-file-queries.ts';
import { day } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import type { BackupDependencies } from './create-commands.ts';
import { fileListPath } from './make/file-copy-commands.ts';
import { objectPath } from './repository/folders.ts';
import { ensureKeySecret } from './repository/key-commands.ts';
import { makeBackupKey } from './repository/key-queries.ts';
import { parseListedFile } from './repository/manifest.ts';
import { choosePrunableBackups } from './repository/prunable.ts';
import { deleteBackup, withBackupLock } from './repository/repository-commands.ts';
import { isBackupVerified, listBackups } from './repository/repository-queries.ts';
import { readLines } from './repository/stream-commands.ts';

/**
 * Removes expired backups, and the file copies that no remaining backup needs. Keeps the copy of a file that is damaged
 * or missing in the storage, for "storage repair".
 */
export async function pruneBackups({ settings, store, repository, clock }: Omit<BackupDependencies, 'journal'>) {
  return await withBackupLock(repository, async () => {
    const key = makeBackupKey(await ensureKeySecret(store, settings.dataDir));
    const backups = await listBackups(repository);
    const candidates = await Promise.all(
      backups.map(async (backup) => ({
        name: backup.name,
        number: backup.manifest.number,
        createdAt: new Date(backup.manifest.created_at),
        isVerified: await isBackupVerified(repository, backup, key),
      })),
    );
    const removed =
      settings.backupDays === 0 ? [] : choosePrunableBackups(candidates, clock(), settings.backupDays * day);
    for (const name of removed) await deleteBackup(repository, name);
    const kept = backups.map(({ name }) => name).filter((name) => !removed.includes(name));
    return { removed, kept, removed_files: await removeUnused(repository, await findRepairing(store)) };
  });
}

async function findRepairing(store: Store): Promise<readonly string[]> {
  // The database of an earlier version does not record faults.
  if ((await store.schema()).pending.length > 0) return [];
  return (await findFaultyFiles(store)).map(({ sha256 }) => sha256);
}

// Also removes files of interrupted backups, and of backups that were deleted by hand.
async function removeUnused(repository: string, repairing: readonly string[]): Promise<number> {
  const used = new Set(repairing);
  for (const entry of await readdir(repository, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('.') || !entry.isDirectory()) continue;
    // Removes nothing if a file list cannot be read, because that backup may contain any file.
    try {
      if (!(await readdir(join(repository, name))).includes('manifest.json')) continue;
      for await (const line of readLines(fileListPath(join(repository, name))))
        used.add(parseListedFile(line)?.sha256 ?? '');
    } catch {
      return 0;
    }
  }
  let removed = 0;
  const folders = await readdir(join(repository, 'files')).catch(() => []);
  for (const folder of folders) {
    for (const sha256 of await readdir(join(repository, 'files', folder)).catch(() => [])) {
      if (used.has(sha256)) continue;
      await rm(join(repository, objectPath(sha256)), { force: true });
      removed += 1;
    }
  }
  return removed;
}
