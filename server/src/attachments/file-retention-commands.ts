import { type RawBuilder, sql } from 'kysely';
import type { FileStorage } from '../files/storage.ts';
import { runBatches } from '../platform/semaphore.ts';
import { toSafeInteger } from '../store/decode.ts';
import { mayRemoveFiles, transactUnderLock } from '../store/postgres/advisory-locks.ts';
import type { Store, Writer } from '../store/store.ts';
import { type FileRetentionPeriods, isExpiredSql } from './file-expiry-queries.ts';
import { storageKeysOf } from './file-keys.ts';
import { addFileUsage, lockUsageRows } from './usage-commands.ts';

export interface RetentionDependencies {
  readonly store: Store;
  readonly storage: FileStorage;
  readonly terms: FileRetentionPeriods;
}

const batchMax = 50;

/**
 * Removes files that were never attached and have expired at `now`, and detached files that have expired at `due`; the
 * records stay. A file stops counting towards the quotas before its bytes are removed. If the process ends in between,
 * the next run removes the bytes. Returns the number of removed files.
 */
export async function removeExpiredFiles(
  { store, storage, terms }: RetentionDependencies,
  now: Date,
  due = now,
): Promise<number> {
  const isExpired = isExpiredSql(terms, now, due);
  // Runs until a batch is empty: a small batch is not the last one if some of its files were bound concurrently.
  const removed = await runBatches(1, () =>
    transactUnderLock(store, 'retention', async (writer) =>
      // No file is removed while a backup copies files; the next run removes it.
      (await mayRemoveFiles(store, writer)) ? await markRemoved(writer, isExpired, now) : 0,
    ),
  );
  await removeFileBytes(store, storage, now);
  return removed;
}

async function markRemoved(writer: Writer, isExpired: RawBuilder<boolean>, now: Date): Promise<number> {
  const { rows: expired } = await sql<{ id: string; owner_id: string }>`
    select id, owner_id from attachments where ${isExpired} order by id limit ${batchMax}`.execute(writer);
  if (expired.length === 0) return 0;
  const ownerIds = expired.map(({ owner_id }) => owner_id);
  await lockUsageRows(writer, ownerIds);
  let count = 0;
  for (const { id, owner_id } of expired) {
    // Checks the expiry again, because the file may have been bound before its owner's usage row was locked.
    const { rows } = await sql<{ bytes: number | string }>`
      update attachments set cleaned_at = ${now} where id = ${id} and ${isExpired}
      returning coalesce(size_bytes, 0) + coalesce(preview_size_bytes, 0) as bytes`.execute(writer);
    const [row] = rows;
    if (row === undefined) continue;
    await addFileUsage(writer, owner_id, { files: -1, bytes: -toSafeInteger(row.bytes), records: 0 });
    count += 1;
  }
  return count;
}

/** Removes the bytes of files that are marked as removed. */
export async function removeFileBytes(store: Store, storage: FileStorage, now: Date): Promise<void> {
  for (;;) {
    const { rows } = await store.read((reader) =>
      sql<{ id: string }>`
        select id from attachments where cleaned_at is not null and bytes_removed_at is null
        limit ${batchMax}`.execute(reader),
    );
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    for (const key of ids.flatMap(storageKeysOf)) await storage.remove(key);
    await store.transact(async (writer) => {
      await writer.updateTable('attachments').set({ bytes_removed_at: now }).where('id', 'in', ids).execute();
      // An upload whose `upload_id` is its row's `id` has released its own, so that a client can use it again.
      await writer.deleteFrom('attachments').where('id', 'in', ids).whereRef('upload_id', '=', 'id').execute();
    });
  }
}
