import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

export function hasSystemErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => error.code === code);
}

/** Returns the sorted names in a folder; none if the folder does not exist. */
export async function listFolder(folder: string): Promise<string[]> {
  return ((await unlessMissing(readdir(folder))) ?? []).sort();
}

/** Returns undefined if the file does not exist. */
export async function readTextFile(path: string): Promise<string | undefined> {
  return await unlessMissing(readFile(path, 'utf8'));
}

/** Replaces a file atomically: after a kill, it contains either the old or the new text. */
export async function replaceTextFile(path: string, text: string): Promise<void> {
  const part = `${path}.${crypto.randomUUID()}.tmp`;
  await createPrivateFile(part, text);
  try {
    await rename(part, path);
  } catch (error) {
    await removeFile(part);
    throw error;
  }
}

/** Creates a private file that must not exist yet, and syncs it to disk. */
export async function createPrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  makeFolder(dirname(path));
  const file = await open(path, 'wx', 0o600);
  try {
    // An unusual umask must not make the file unreadable for its owner.
    await file.chmod(0o600);
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await removeFile(path);
    throw error;
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Syncs the entries of a folder, so that they survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } catch (error) {
    // Some systems cannot sync a folder; they preserve its entries in another way.
    if (!hasSystemErrorCode(error, 'EPERM', 'EINVAL', 'EISDIR')) throw error;
  } finally {
    await opened.close();
  }
}

async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasSystemErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
