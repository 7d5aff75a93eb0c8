import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Syncs a file, or the entries of a folder, to the disk, so that they survive a power failure. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Atomically writes a file that only its owner can read: readers find either the whole file or none, even after a power
 * failure.
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.new-${basename(path)}`);
  await writeFile(unfinished, text, { mode: 0o600, flush: true });
  await rename(unfinished, path);
  await syncPath(dirname(path));
}
