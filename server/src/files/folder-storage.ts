import { access, constants, mkdir, open, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { limits } from '@agent-platform/contract';
import { codeOf, ifPresent } from '../platform/error-facts.ts';
import type { FileStorage } from './storage.ts';
import { StorageUnavailable } from './storage-failure.ts';

const ownerOnly = 0o700;

/** How often a write is retried when other processes use the same name at the same moment. */
const tryAtOnceMax = 50;

/** Files are in folders that are named with two hexadecimal digits. */
const folderName = /^[0-9a-f]{2}$/;

/**
 * Stores files in a local folder. Local files must be on the same file system, because they are moved, not copied. The
 * storage's check fails if less than `roomMinBytes` are free; the default is what the largest usual upload needs.
 */
export function folderStorage(root: string, roomMinBytes: number = limits.multipartMaxBytes): FileStorage {
  // Ids begin with their time, but their last digits are evenly distributed over 256 folders.
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
      const file = await ifPresent(open(pathOf(key), 'r'));
      if (file === undefined) return undefined;
      // The stream closes the file even if it is not read to its end.
      const stream = file.createReadStream(range);
      const { size: bytes, ino, mtimeMs, ctimeMs } = await file.stat();
      return { stream, bytes, version: `${ino} ${mtimeMs} ${ctimeMs}` };
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    has: async (key) => (await ifPresent(access(pathOf(key)).then(() => true))) ?? false,
    list: async function* () {
      for (const folder of (await ifPresent(readdir(root))) ?? []) {
        if (folderName.test(folder)) yield* await readdir(join(root, folder));
      }
    },
    readId: async () => (await ifPresent(readFile(idFile, 'utf8')))?.trim(),
    writeId: async (id) => {
      await makeRoot();
      // Atomic: other processes find the whole file or none.
      await writeNew(`${idFile}.new`, `${id}\n`);
      await rename(`${idFile}.new`, idFile);
      await sync(root);
    },
    check: async () => {
      // One operation at a time, because each may wait behind uploads that are being synced.
      const mayWrite = access(root, constants.W_OK | constants.X_OK).then(() => true);
      if ((await ifPresent(mayWrite)) === undefined) await makeRoot();
      const { bavail, bsize } = await statfs(root);
      if (bavail * bsize < roomMinBytes) throw new StorageUnavailable(`The disk of ${root} is full. Free space.`);
    },
    probe: async () => {
      await makeRoot();
      // Always the same name, so that a crash leaves at most one file.
      const path = join(root, '.probe');
      await retry(tryAtOnceMax, () => writeNew(path, ''));
      await rm(path, { force: true });
    },
    close: () => undefined,
  };
}

// Servers that start at the same moment remove each other's files, so a removed file may exist again.
async function retry(attempts: number, write: () => Promise<void>): Promise<void> {
  await write().catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST' || attempts === 1) throw error;
    await retry(attempts - 1, write);
  });
}

// Never follows a link, which could lead to any file of this user.
async function writeNew(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
}

// A folder is created with its first file.
async function move(path: string, target: string): Promise<void> {
  if ((await ifPresent(rename(path, target).then(() => true))) === true) return;
  await mkdir(dirname(target), { recursive: true, mode: ownerOnly });
  await rename(path, target);
}

// A rename is durable once both the file and its folder are synced.
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
