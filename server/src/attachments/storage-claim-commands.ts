import type { FileStorage } from '../files/storage.ts';
import { newId } from '../platform/new-id.ts';
import type { Reader, Store } from '../store/store.ts';
import { readNamedKeys } from './file-comparison-queries.ts';

/** The storage belongs to another database, or to none. */
export class ForeignStorage extends Error {
  override readonly name = 'ForeignStorage';
}

/**
 * Makes sure that every process of a PostgreSQL database has the same storage:
 * an id stands in both. The first start writes it. A storage from before there
 * were ids is known by its files.
 */
export async function claimStorage(store: Store, storage: FileStorage): Promise<void> {
  if (store.kind === 'pglite') return;
  if ((await store.read(findStorageId)) === undefined) await adopt(store, storage);
  await requireOwnStorage(store, storage);
}

/** Refuses a storage that is not the one of the database. */
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
  const present = await storage.readId();
  if (present === undefined && !(await holdsNamedFile(store, storage))) {
    throw new ForeignStorage(
      `The database names files, and ${storage.place} has none of them. Set PLATFORM_STORAGE_URL or PLATFORM_DATA_DIR to the folder that has them. If they are lost, write ${newId()} into the file storage-id of ${storage.place}.`,
    );
  }
  const id = present ?? newId();
  await store.transact(async (writer) => {
    // Of several first starts one inserts; the others wait for its commit.
    const inserted = await writer
      .insertInto('platform_facts')
      .values({ name: 'storage', value: id })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name')
      .executeTakeFirst();
    // Before the commit: the next start adopts a storage whose id the database lacks, but not the reverse.
    if (inserted !== undefined && present === undefined) await storage.writeId(id);
  });
}

/** True also when the database names no file. */
async function holdsNamedFile(store: Store, storage: FileStorage): Promise<boolean> {
  let isNamed = false;
  for await (const keys of readNamedKeys(store)) {
    for (const key of keys) if (await storage.has(key)) return true;
    isNamed ||= keys.length > 0;
  }
  return !isNamed;
}

async function findStorageId(reader: Reader): Promise<string | undefined> {
  const fact = await reader
    .selectFrom('platform_facts')
    .where('name', '=', 'storage')
    .select('value')
    .executeTakeFirst();
  return fact?.value;
}
