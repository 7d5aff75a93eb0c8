import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compareFiles } from '../../attachments/stored-file-queries.ts';
import type { IncomingFolder } from '../../files/incoming-folder.ts';
import type { FileStorage } from '../../files/storage.ts';
import type { Store } from '../../store/store.ts';
import type { Report } from '../make/dump-commands.ts';
import { objectPath } from '../repository/folders.ts';
import type { ListedFile } from '../repository/manifest.ts';
import { copyDigested, requireSame } from '../repository/stream-commands.ts';

/** From where to where files are restored. */
export interface FileRestore {
  readonly repository: string;
  readonly storage: FileStorage;
  /** The folder on the disk of the storage from which files are moved into it. */
  readonly incoming: IncomingFolder;
  readonly report: Report;
}

/** Stores the files of a backup. The keys of those that were not there before are added to `arrived`. */
export async function restoreFiles(
  parts: FileRestore,
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

/** Stores the bytes that the backups have of a file, if they are those of its hash. */
export async function restoreFile({ repository, storage, incoming }: FileRestore, file: ListedFile): Promise<void> {
  const { key, bytes, sha256 } = file;
  const { file: path, discard } = await incoming.open();
  try {
    requireSame(`the file ${key}`, await copyDigested(join(repository, objectPath(sha256)), path), { bytes, sha256 });
    await storage.put(key, path);
  } finally {
    await discard();
  }
}

/** Marks an unfinished restore: the storage may contain files that no row names. */
export function unfinishedPath(dataDir: string): string {
  return join(dataDir, 'restore-unfinished');
}

/** Removes the files that the database does not name: those of the installation before, or of a restore that was killed. */
export async function removeLeftoverFiles(dataDir: string, store: Store, storage: FileStorage): Promise<number> {
  const { extra } = await compareFiles(store, storage);
  for (const key of extra) await storage.remove(key);
  await rm(unfinishedPath(dataDir), { force: true });
  return extra.length;
}
