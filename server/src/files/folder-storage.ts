import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileStorage } from './storage.ts';

const ownerOnly = 0o700;

/** Keeps files in a folder of this machine. Local files must come from the same file system: they are moved, not copied. */
export function folderStorage(root: string): FileStorage {
  // Ids begin with their time; their ends spread evenly over 256 folders.
  const placeOf = (key: string) => join(root, key.slice(34, 36), key);
  return {
    prepare: sync,
    put: async (key, path) => {
      const place = placeOf(key);
      await move(path, place);
      await sync(dirname(place));
    },
    open: async (key, range) => {
      const file = await openIfThere(placeOf(key));
      // The stream closes the file, also when nobody reads it to its end.
      return file?.createReadStream(range === undefined ? {} : { start: range.start, end: range.end });
    },
    remove: async (key) => {
      await rm(placeOf(key), { force: true });
    },
    check: async () => {
      await mkdir(root, { recursive: true, mode: ownerOnly });
    },
  };
}

// The folder is there but for the first file that goes into it.
async function move(path: string, place: string): Promise<void> {
  try {
    await rename(path, place);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(place), { recursive: true, mode: ownerOnly });
    await rename(path, place);
  }
}

// A rename is durable when both the file and the folder that names it are.
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';
}
