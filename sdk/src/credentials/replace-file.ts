import { constants } from 'node:fs';
import { chmod, open, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Atomically replaces a file that only its owner can read: after a crash it contains either the old or the new text.
 * Creates the folder with mode 0700.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const part = makeTemporaryName(file);
  makeFolder(dirname(file));
  try {
    await writePrivateFile(part, text);
    await rename(part, file);
  } catch (error) {
    await unlink(part).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Writes a new file that only its owner can read; it is on disk when this resolves. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
  // `writeFile` applies the umask, which could remove the owner's permissions.
  await chmod(path, 0o600);
}

/** Syncs the entries of a folder, because a power failure can undo a rename even if the file was synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function makeTemporaryName(file: string): string {
  return `${file}.${crypto.randomUUID()}.tmp`;
}

export function ignoreMissingFile(error: unknown): undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
}
