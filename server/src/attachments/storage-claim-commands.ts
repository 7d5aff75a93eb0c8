import type { FileStorage } from '../files/storage.ts';
import { newId } from '../platform/crypto.ts';
import { claimPlatformFact, findPlatformFact } from '../store/platform-facts.ts';
import type { Reader, Store } from '../store/store.ts';
import { readReferencedKeys } from './stored-file-queries.ts';

export const storageIdFactName = 'storage';

/** Thrown if the storage is not that of this database. */
export class ForeignStorage extends Error {
  override readonly name = 'ForeignStorage';
}

/**
 * The first start writes one id to database and storage, so that all servers of a database use the same storage. A
 * storage without an id, from an earlier version, is recognized by its files. With an embedded database, a folder needs
 * no id.
 */
export async function claimStorage(store: Store, storage: FileStorage): Promise<void> {
  if ((await store.read(findStorageId)) === undefined) {
    if (store.kind === 'pglite' && storage.kind === 'folder') return;
    await adopt(store, storage);
  }
  await requireOwnStorage(store, storage);
}

export async function requireOwnStorage(store: Store, storage: FileStorage): Promise<void> {
  const known = await store.read(findStorageId);
  const present = await storage.readId();
  if (known === undefined || known === present) return;
  const found = present === undefined ? 'has no storage-id' : `has the storage-id ${present}`;
  throw new ForeignStorage(
    `The files of this database are in the storage with the id ${known}; ${storage.place} ${found}. All servers of a database share one storage: set PLATFORM_STORAGE_URL to it. If ${storage.place} is a copy that replaces it, write ${known} into its file storage-id.`,
  );
}

async function adopt(store: Store, storage: FileStorage): Promise<void> {
  const [present, files] = [await storage.readId(), await findNamedFiles(store, storage)];
  if (present === undefined && files === 'absent') {
    throw new ForeignStorage(
      `The database refers to files, but ${storage.place} contains none of them. Set PLATFORM_STORAGE_URL or PLATFORM_DATA_DIR to the storage that has them. If they are lost, write ${newId()} into the file storage-id of ${storage.place}.`,
    );
  }
  // If a first start was killed after it wrote this id to the storage, the next start recognizes the id.
  const { value: ownId } = await store.transact((writer) => claimPlatformFact(writer, 'storage-claim', newId()));
  if (storage.kind === 'bucket' && present !== undefined && present !== ownId && files !== 'present') {
    throw new ForeignStorage(
      `${storage.place} has the storage-id ${present} of another installation. Choose another bucket or prefix. If that installation is gone, remove the object storage-id.`,
    );
  }
  const id = present ?? ownId;
  await store.transact(async (writer) => {
    const { isNew } = await claimPlatformFact(writer, storageIdFactName, id);
    // The write precedes the commit, because the next start can only adopt an id that the storage already has.
    if (isNew && present === undefined) await storage.writeId(id);
  });
}

/** Whether the storage has a file that the database refers to; `none` if the database refers to no file. */
async function findNamedFiles(store: Store, storage: FileStorage): Promise<'present' | 'absent' | 'none'> {
  let isNamed = false;
  for await (const keys of readReferencedKeys(store)) {
    for (const key of keys) if (await storage.has(key)) return 'present';
    isNamed ||= keys.length > 0;
  }
  return isNamed ? 'absent' : 'none';
}

async function findStorageId(reader: Reader): Promise<string | undefined> {
  return await findPlatformFact(reader, storageIdFactName);
}
