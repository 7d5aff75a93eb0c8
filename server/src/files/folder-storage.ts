import { access, constants, mkdir, open, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { limits } from '@agent-platform/contract';
import { errorCodeOf, undefinedIfMissing } from '../platform/error-facts.ts';
import type { FileStorage } from './storage.ts';
import { StorageUnavailable } from './storage-failure.ts';

const ownerOnly = 0o700;

/** The maximum number of attempts to write a file while other processes write the same one. */
const tryAtOnceMax = 50;

const folderName = /^[0-9a-f]{2}$/;

/**
 * Stores files in a local folder. Local files must be on the same file system, because they are moved, not copied. The
 * check of the storage fails if fewer than `roomMinBytes` bytes are free; the default fits the largest usual upload.
 */
export function makeFolderStorage(root: string, roomMinBytes: number = limits.multipartMaxBytes): FileStorage {
  // Ids begin with a timestamp, but their last two digits distribute them evenly over 256 folders.
  const pathOf = (key: string) => join(root, key.slice(34, 36), key);
  const idFile = join(root, 'storage-id');
  const makeRoot = () => mkdir(root, { recursive: true, mode: ownerOnly });
  return {
    kind: 'folder',
    place: root,
    prepare: sync,
    put: async (key, path) => {
      const target = pathOf(key);
      await move(path, target);
      await sync(dirname(target));
    },
    open: async (key, range) => {
      const file = await undefinedIfMissing(open(pathOf(key), 'r'));
      if (file === undefined) return undefined;
      // The stream closes the file even if it is not read to its end.
      const stream = file.createReadStream(range);
      const { size: bytes, ino, mtimeMs, ctimeMs } = await file.stat();
      return { stream, bytes, version: `${ino} ${mtimeMs} ${ctimeMs}` };
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    has: async (key) => (await undefinedIfMissing(access(pathOf(key)).then(() => true))) ?? false,
    list: async function* () {
      for (const folder of (await undefinedIfMissing(readdir(root))) ?? []) {
        if (folderName.test(folder)) yield* await readdir(join(root, folder));
      }
    },
    readId: async () => (await undefinedIfMissing(readFile(idFile, 'utf8')))?.trim(),
    writeId: async (id) => {
      await makeRoot();
      // The rename is atomic, so other processes find the whole file or none.
      await writeNew(`${idFile}.new`, `${id}\n`);
      await rename(`${idFile}.new`, idFile);
      await sync(root);
    },
    check: async () => {
      // Runs one operation at a time, because each may wait behind uploads that are being synced.
      const mayWrite = access(root, constants.W_OK | constants.X_OK).then(() => true);
      if ((await undefinedIfMissing(mayWrite)) === undefined) await makeRoot();
      const { bavail, bsize } = await statfs(root);
      if (bavail * bsize < roomMinBytes) throw new StorageUnavailable(`The disk of ${root} is full. Free space.`);
    },
    probe: async () => {
      await makeRoot();
      // The name is always the same, so that crashes leave at most one file.
      const path = join(root, '.probe');
      await retry(tryAtOnceMax, () => writeNew(path, ''));
      await rm(path, { force: true });
    },
    close: () => undefined,
  };
}

// Retries, because servers that start simultaneously write the same file, so it may exist again after its removal.
async function retry(attempts: number, write: () => Promise<void>): Promise<void> {
  await write().catch(async (error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST' || attempts === 1) throw error;
    await retry(attempts - 1, write);
  });
}

// Never follows a symbolic link, which could point to any file of this user.
async function writeNew(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
}

// The target folder is created when its first file arrives.
async function move(path: string, target: string): Promise<void> {
  if ((await undefinedIfMissing(rename(path, target).then(() => true))) === true) return;
  await mkdir(dirname(target), { recursive: true, mode: ownerOnly });
  await rename(path, target);
}

// A rename is durable once both the file and its folder are synced.
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
