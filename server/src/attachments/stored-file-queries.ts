import { sql } from 'kysely';
import { type FileStorage, storageKeyPattern } from '../files/storage.ts';
import { day } from '../platform/clock.ts';
import { lowestId } from '../platform/crypto.ts';
import { toSafeInteger } from '../store/decode.ts';
import { formatArray } from '../store/statements/parameters.ts';
import type { Reader, Store } from '../store/store.ts';
import type { ReferencedFile } from './attachment.ts';
import { attachmentIdOf, originalKey, previewKey } from './file-keys.ts';

const pageMax = 1_000;

/** Reads all files that the database refers to, or only those of one agent, in pages. */
export async function* readFileRecords(store: Store, ownerId?: string): AsyncGenerator<readonly ReferencedFile[]> {
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const bound: string = after;
    const rows = await store.read((reader) => {
      const records = selectRecords(reader).where('id', '>', bound).orderBy('id').limit(pageMax);
      return (ownerId === undefined ? records : records.where('owner_id', '=', ownerId)).execute();
    });
    after = rows.at(-1)?.id;
    yield rows.flatMap(toNamedFiles);
  }
}

/** Finds the files last read before `before`, oldest first, or if there are none, those with a date in the future. */
export async function findUnverifiedFiles(store: Store, before: Date, now: Date): Promise<readonly ReferencedFile[]> {
  const readAt = sql<Date>`coalesce(verified_at, created_at)`;
  const find = (side: '<' | '>', time: Date) =>
    store.read((reader) => selectRecords(reader).where(readAt, side, time).orderBy(readAt).limit(pageMax).execute());
  const waiting = await find('<', before);
  return (waiting.length > 0 ? waiting : await find('>', new Date(now.getTime() + day))).flatMap(toNamedFiles);
}

const hasFault = sql<boolean>`(original_fault is not null or preview_fault is not null)`;

export const damagedFileCountSql = sql`(
  select count(original_fault) + count(preview_fault) from attachments where ${hasFault} and cleaned_at is null
)`;

export async function findFaultyFiles(store: Store): Promise<readonly ReferencedFile[]> {
  const rows = await store.read((reader) => selectRecords(reader).where(hasFault).execute());
  return rows.flatMap(toNamedFiles).filter(({ fault }) => fault !== null);
}

export async function* readReferencedKeys(store: Store): AsyncGenerator<readonly string[]> {
  for await (const files of readFileRecords(store)) yield files.map(({ key }) => key);
}

const ofOriginal = ['size_bytes', 'sha256', 'original_fault'] as const;
const ofPreview = ['preview_size_bytes', 'preview_sha256', 'preview_fault'] as const;

function selectRecords(reader: Reader) {
  return reader
    .selectFrom('attachments')
    .where('state', '=', 'ready')
    .where('cleaned_at', 'is', null)
    .select(['id', ...ofOriginal, ...ofPreview]);
}

function toNamedFiles(row: Awaited<ReturnType<ReturnType<typeof selectRecords>['execute']>>[number]): ReferencedFile[] {
  const { id, size_bytes, sha256, preview_size_bytes, preview_sha256 } = row;
  const original = { key: originalKey(id), sha256: sha256 ?? '', fault: row.original_fault };
  const preview = { key: previewKey(id), sha256: preview_sha256 ?? '', fault: row.preview_fault };
  return [
    ...(size_bytes === null ? [] : [{ ...original, bytes: toSafeInteger(size_bytes) }]),
    ...(preview_size_bytes === null ? [] : [{ ...preview, bytes: toSafeInteger(preview_size_bytes) }]),
  ];
}

/**
 * Compares the storage with the database; both may change during the comparison. `named` counts the files that the
 * database refers to, `missing` lists those that the storage lacks, and `extra` the stored files without a reference.
 */
export async function compareStoredFiles(store: Store, storage: FileStorage) {
  const stored = new Set<string>();
  for await (const key of storage.list()) stored.add(key);
  let named = 0;
  const missing: string[] = [];
  for await (const keys of readReferencedKeys(store)) {
    named += keys.length;
    for (const key of keys) if (!stored.delete(key) && !(await storage.has(key))) missing.push(key);
  }
  return { named, missing, extra: await findExtra(store, storage, [...stored]) };
}

/** Finds the stored keys that belong neither to a file nor to an upload or removal in progress. */
async function findExtra(store: Store, storage: FileStorage, keys: readonly string[]): Promise<readonly string[]> {
  const extra: string[] = [];
  for (let at = 0; at < keys.length; at += pageMax) {
    const page = keys.slice(at, at + pageMax);
    const ids = page.filter((key) => storageKeyPattern.test(key)).map(attachmentIdOf);
    const { rows } = await store.read((reader) =>
      sql<{ id: string }>`
        select id from attachments
        where id = any(${formatArray(ids)}::uuid[]) and bytes_removed_at is null
          and (state in ('receiving', 'checking', 'ready') or cleaned_at is not null)`.execute(reader),
    );
    const inUse = new Set(rows.map(({ id }) => id));
    for (const key of page) if (!inUse.has(attachmentIdOf(key)) && (await storage.has(key))) extra.push(key);
  }
  return extra;
}
