import { type RawBuilder, sql } from 'kysely';
import type { FileStorage } from '../files/storage.ts';
import { day, hour } from '../platform/clock.ts';
import { takeAdvisoryLock } from '../store/advisory-locks.ts';
import type { Store, Writer } from '../store/store.ts';
import { originalKey, previewKey } from './file-keys.ts';
import { cleanFiles } from './upload/reservation-commands.ts';

/** How long files are kept (specification, "Limits", Retention); 0 for ever. */
export interface FileTerms {
  /** Of a ready file that was never attached. */
  readonly unattachedFileHours: number;
  /** Of one that was detached, or whose post was deleted. */
  readonly detachedFileDays: number;
}

/** What removing files works with. */
export interface FileRetentionParts {
  readonly store: Store;
  readonly storage: FileStorage;
  readonly terms: FileTerms;
}

const batchMax = 50;

/**
 * Cleans every file whose time is over at `now`; its record stays. A file stops
 * counting and being shown before its bytes go: a crash between the two leaves
 * bytes that the next run removes. Answers how many files were cleaned.
 */
export async function removeOldFiles({ store, storage, terms }: FileRetentionParts, now: Date): Promise<number> {
  const isOver = overAt(terms, now);
  for (let cleaned = 0; ; ) {
    const count = await store.transact(async (writer) => {
      await takeAdvisoryLock(writer, 'retention');
      return await cleanFiles(writer, await findOver(writer, isOver), isOver, now);
    });
    cleaned += count;
    if (count > 0) continue;
    await removeBytes(store, storage, now);
    return cleaned;
  }
}

function overAt({ unattachedFileHours, detachedFileDays }: FileTerms, now: Date): RawBuilder<boolean> {
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  const unattached =
    unattachedFileHours === 0
      ? sql`false`
      : sql`bound_kind is null and created_at <= ${ago(unattachedFileHours * hour)}`;
  const detached = detachedFileDays === 0 ? sql`false` : sql`detached_at <= ${ago(detachedFileDays * day)}`;
  return sql`state = 'ready' and cleaned_at is null and ((${unattached}) or (${detached}))`;
}

async function findOver(writer: Writer, isOver: RawBuilder<boolean>) {
  const { rows } = await sql<{ id: string; owner_id: string }>`
    select id, owner_id from attachments where ${isOver} order by id limit ${batchMax}`.execute(writer);
  return rows.map(({ id, owner_id }) => ({ id, ownerId: owner_id }));
}

async function removeBytes(store: Store, storage: FileStorage, now: Date): Promise<void> {
  for (;;) {
    const files = await store.read((reader) =>
      reader
        .selectFrom('attachments')
        .where('cleaned_at', 'is not', null)
        .where('bytes_removed_at', 'is', null)
        .select('id')
        .limit(batchMax)
        .execute(),
    );
    if (files.length === 0) return;
    for (const { id } of files) {
      await storage.remove(originalKey(id));
      await storage.remove(previewKey(id));
    }
    const ids = files.map(({ id }) => id);
    await store.transact((writer) =>
      writer.updateTable('attachments').set({ bytes_removed_at: now }).where('id', 'in', ids).execute(),
    );
  }
}
