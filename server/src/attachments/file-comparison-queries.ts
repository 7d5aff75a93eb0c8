import { sql } from 'kysely';
import { type FileStorage, keyForm } from '../files/storage.ts';
import { lowestId } from '../platform/new-id.ts';
import { safeInteger } from '../store/decode.ts';
import { arrayText } from '../store/statements/array-text.ts';
import type { Store } from '../store/store.ts';
import { originalKey, previewKey } from './file-keys.ts';

const pageMax = 1_000;

/** A file that the database names. */
export interface NamedFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** All files that the database names, in pages. */
export async function* readFileRecords(store: Store): AsyncGenerator<readonly NamedFile[]> {
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const rows = await readPage(store, after);
    after = rows.at(-1)?.id;
    yield rows.flatMap(({ id, size_bytes, sha256, preview_size_bytes, preview_sha256 }) => [
      ...(size_bytes === null ? [] : [{ key: originalKey(id), bytes: safeInteger(size_bytes), sha256: sha256 ?? '' }]),
      ...(preview_size_bytes === null
        ? []
        : [{ key: previewKey(id), bytes: safeInteger(preview_size_bytes), sha256: preview_sha256 ?? '' }]),
    ]);
  }
}

/** The keys of all files that the database names, in pages. */
export async function* readNamedKeys(store: Store): AsyncGenerator<readonly string[]> {
  for await (const files of readFileRecords(store)) yield files.map(({ key }) => key);
}

async function readPage(store: Store, after: string) {
  return await store.read((reader) =>
    reader
      .selectFrom('attachments')
      .where('id', '>', after)
      .where('state', '=', 'ready')
      .where('cleaned_at', 'is', null)
      .select(['id', 'size_bytes', 'sha256', 'preview_size_bytes', 'preview_sha256'])
      .orderBy('id')
      .limit(pageMax)
      .execute(),
  );
}

/** Compares the storage with the database, which may change meanwhile: `missing` are named and absent, `extra` the reverse. */
export async function compareFiles(store: Store, storage: FileStorage) {
  const stored = new Set<string>();
  for await (const key of storage.list()) stored.add(key);
  let named = 0;
  const missing: string[] = [];
  for await (const keys of readNamedKeys(store)) {
    named += keys.length;
    for (const key of keys) if (!stored.delete(key) && !(await storage.has(key))) missing.push(key);
  }
  return { named, missing, extra: await findExtra(store, storage, [...stored]) };
}

/** Of keys that no complete file has: those that no upload or removal in progress has either. */
async function findExtra(store: Store, storage: FileStorage, keys: readonly string[]): Promise<readonly string[]> {
  const extra: string[] = [];
  for (let at = 0; at < keys.length; at += pageMax) {
    const page = keys.slice(at, at + pageMax);
    const ids = page.filter((key) => keyForm.test(key)).map((key) => key.slice(0, lowestId.length));
    const { rows } = await store.read((reader) =>
      sql<{ id: string }>`
        select id from attachments
        where id = any(${arrayText(ids)}::uuid[]) and bytes_removed_at is null
          and (state in ('receiving', 'checking', 'ready') or cleaned_at is not null)`.execute(reader),
    );
    const inUse = new Set(rows.map(({ id }) => id));
    for (const key of page) if (!inUse.has(key.slice(0, lowestId.length)) && (await storage.has(key))) extra.push(key);
  }
  return extra;
}
