import { sql } from 'kysely';
import type { FileStorage } from '../files/storage.ts';
import type { ActRecorder } from '../identity/audit-commands.ts';
import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { toSafeInteger } from '../store/decode.ts';
import { recordRevocation } from '../store/statements/after-commit.ts';
import type { Store, Writer } from '../store/store.ts';
import { removeFileBytes } from './file-retention-commands.ts';
import { addFileUsage, lockUsageRows } from './usage-commands.ts';

export interface FileModerationDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly record: ActRecorder;
}

interface StoredFile {
  readonly owner_id: string;
  readonly purpose: string;
  readonly bound_kind: string | null;
  readonly bound_id: string | null;
  readonly hidden_at: Date | string | null;
}

/** A file that the operator has moderated, and whether the command changed it. */
export interface ModeratedFile extends Omit<StoredFile, 'hidden_at'> {
  readonly id: string;
  readonly changed: boolean;
}

/** Hides a file's content from all readers. The file's record then says that it is unavailable, as after removal. */
export async function hideFile(parts: FileModerationDependencies, id: string): Promise<ModeratedFile> {
  return await changeHidden(parts, id, parts.clock());
}

export async function unhideFile(parts: FileModerationDependencies, id: string): Promise<ModeratedFile> {
  return await changeHidden(parts, id, null);
}

async function changeHidden({ store, record }: FileModerationDependencies, id: string, hidden_at: Date | null) {
  return await store.transact(async (writer) => {
    const file = await lockFile(writer, id);
    const changed = (file.hidden_at === null) !== (hidden_at === null);
    if (changed) {
      await writer.updateTable('attachments').set({ hidden_at }).where('id', '=', id).execute();
      recordRevocation(writer, { kind: hidden_at === null ? 'file_shown' : 'file_hidden', file_id: id });
      await record(writer, [{ agentId: file.owner_id, subject: id }]);
    }
    return describe(id, file, changed);
  });
}

/** Immediately removes the bytes of a file, even if the file is bound; the record stays, as after expiry. */
export async function deleteFile(
  parts: FileModerationDependencies,
  storage: FileStorage,
  id: string,
): Promise<ModeratedFile> {
  const { store, clock, record } = parts;
  const deleted = await store.transact(async (writer) => {
    const owner = await writer.selectFrom('attachments').where('id', '=', id).select('owner_id').executeTakeFirst();
    if (owner === undefined) throw noFile(id);
    await lockUsageRows(writer, [owner.owner_id]);
    const file = await lockFile(writer, id);
    await markFileRemoved(writer, id, clock());
    await record(writer, [{ agentId: file.owner_id, subject: id }]);
    return describe(id, file, true);
  });
  await removeFileBytes(store, storage, clock());
  return deleted;
}

/** Marks a ready file as removed while its owner's usage row is locked. Returns false if it is already removed. */
export async function markFileRemoved(writer: Writer, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ owner_id: string; bytes: number | string }>`
    update attachments set cleaned_at = ${now} where id = ${id} and state = 'ready' and cleaned_at is null
    returning owner_id, coalesce(size_bytes, 0) + coalesce(preview_size_bytes, 0) as bytes`.execute(writer);
  const [row] = rows;
  if (row === undefined) return false;
  await addFileUsage(writer, row.owner_id, { files: -1, bytes: -toSafeInteger(row.bytes), records: 0 });
  recordRevocation(writer, { kind: 'file_deleted', file_id: id });
  return true;
}

async function lockFile(writer: Writer, id: string): Promise<StoredFile> {
  const { rows } = await sql<StoredFile>`
    select owner_id, purpose, bound_kind, bound_id, hidden_at from attachments
    where id = ${id} and state = 'ready' and cleaned_at is null for update`.execute(writer);
  const [file] = rows;
  if (file === undefined) throw noFile(id);
  return file;
}

function describe(id: string, { owner_id, purpose, bound_kind, bound_id }: StoredFile, changed: boolean) {
  return { id, owner_id, purpose, bound_kind, bound_id, changed };
}

function noFile(id: string): Refusal {
  return new Refusal('not_found', `There is no file ${id}, or its bytes are removed.`);
}
