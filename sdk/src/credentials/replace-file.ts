import { constants } from 'node:fs';
import { chmod, open, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Atomically replaces a file, readable only by its owner: after a crash it has the old or the new text. Creates the
 * folder with mode 0700.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const part = temporaryName(file);
  makeFolder(dirname(file));
  try {
    await writeDurably(part, text);
    await rename(part, file);
  } catch (error) {
    await unlink(part).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Writes a new file, readable only by its owner; it is on the disk when this resolves. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
  // A strange umask must not leave a file that its owner cannot read back.
  await chmod(path, 0o600);
}

/** Makes the names in a folder survive a power cut, which can otherwise undo a rename although the file was synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A name in the same folder that no other process uses. */
export function temporaryName(file: string): string {
  return `${file}.${crypto.randomUUID()}.tmp`;
}

/** Passes undefined on for a file that does not exist. */
export function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
}
