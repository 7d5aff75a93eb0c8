import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../../platform/error-facts.ts';
import { FolderLockError, lockFolder } from '../../store/embedded/folder-lock.ts';
import { makePrivateFolder, syncPath } from './durable-commands.ts';
import { unfinishedNamePattern } from './folders.ts';
import { BackupRefusal } from './refusal.ts';

/** How long a command waits for another one that uses the same backups. */
const waitForOtherMs = 2_000;

/** Runs work while the backup folder is locked, after removing the leftovers of a killed command. */
export async function withBackupLock<T>(repository: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockFolder(repository, waitForOtherMs).catch((error: unknown) => {
    if (!(error instanceof FolderLockError) || error.cause !== undefined) throw error;
    const message = `Another command is using the backups in ${repository}; a backup or a verification may take minutes. Try again later.`;
    throw new BackupRefusal('backup_busy', message, error);
  });
  try {
    await removeUnfinished(repository);
    return await work();
  } finally {
    lock.release();
  }
}

/** Creates a folder that the next command removes if this one does not finish. */
export async function makeUnfinishedFolder(repository: string, kind: 'new' | 'scratch'): Promise<string> {
  const folder = join(repository, `.${kind}-${randomBytes(8).toString('hex')}`);
  await makePrivateFolder(folder);
  return folder;
}

/** Renames a finished folder to its final name, which makes it a backup. */
export async function publishBackup(repository: string, folder: string, name: string): Promise<void> {
  for (const path of [join(folder, 'tables'), folder]) await syncPath(path);
  await rename(folder, join(repository, name));
  await syncPath(repository);
}

/** Deletes a backup; a partly deleted backup no longer counts as one. */
export async function deleteBackup(repository: string, name: string): Promise<void> {
  const old = join(repository, `.old-${name}`);
  await rename(join(repository, name), old);
  await syncPath(repository);
  await rm(old, { recursive: true, force: true });
}

// Retries, because the worker of a killed command may still write for some seconds.
const retrying = { maxRetries: 10, retryDelay: 100 };

async function removeUnfinished(repository: string): Promise<void> {
  for (const folder of [repository, join(repository, 'files')]) {
    for (const name of (await undefinedIfMissing(readdir(folder))) ?? []) {
      if (unfinishedNamePattern.test(name)) await rm(join(folder, name), { recursive: true, force: true, ...retrying });
    }
  }
}
