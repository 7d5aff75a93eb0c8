import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Makes a folder for the user of this process alone. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Makes what was written to a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Writes a whole file for its owner alone: other processes, and the time after a power cut, find it whole or not at all. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.new-${basename(path)}`);
  await writeFile(unfinished, text, { mode: 0o600, flush: true });
  await rename(unfinished, path);
  await syncPath(dirname(path));
}
