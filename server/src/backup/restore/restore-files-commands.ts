import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compareStoredFiles } from '../../attachments/stored-file-queries.ts';
import type { IncomingFolder } from '../../files/incoming-folder.ts';
import type { FileStorage } from '../../files/storage.ts';
import type { Store } from '../../store/store.ts';
import type { ProgressReporter } from '../make/dump-commands.ts';
import { objectPath } from '../repository/folders.ts';
import type { ListedFile } from '../repository/manifest.ts';
import { copyWithDigest, requireSameDigest } from '../repository/stream-commands.ts';

export interface FileRestoreContext {
  readonly repository: string;
  readonly storage: FileStorage;
  /** The folder for incoming files, on the same disk as the storage, into which they are moved. */
  readonly incoming: IncomingFolder;
  readonly report: ProgressReporter;
}

/** Restores the files of a backup into the storage. Adds the keys of new files to `arrived`. */
export async function restoreFiles(
  parts: FileRestoreContext,
  listed: ReadonlyMap<string, ListedFile>,
  arrived: string[],
): Promise<void> {
  let count = 0;
  for (const file of listed.values()) {
    count += 1;
    if (count % 500 === 0) parts.report(`files: ${count} of ${listed.size}`);
    if (!(await parts.storage.has(file.key))) arrived.push(file.key);
    await restoreFile(parts, file);
  }
}

/** Restores a file from the backups. Refuses if the copy is missing or does not match the hash. */
export async function restoreFile(
  { repository, storage, incoming }: FileRestoreContext,
  file: ListedFile,
): Promise<void> {
  const { key, bytes, sha256 } = file;
  const { file: path, discard } = await incoming.open();
  try {
    requireSameDigest(`the file ${key}`, await copyWithDigest(join(repository, objectPath(sha256)), path), {
      bytes,
      sha256,
    });
    await storage.put(key, path);
  } finally {
    await discard();
  }
}

/** The file marks an unfinished restore, after which the storage may contain unreferenced files. */
export function unfinishedRestorePath(dataDir: string): string {
  return join(dataDir, 'restore-unfinished');
}

/** Removes the stored files without a reference that remain after a killed restore. Returns their number. */
export async function removeLeftoverFiles(dataDir: string, store: Store, storage: FileStorage): Promise<number> {
  const { extra } = await compareStoredFiles(store, storage);
  for (const key of extra) await storage.remove(key);
  await rm(unfinishedRestorePath(dataDir), { force: true });
  return extra.length;
}
