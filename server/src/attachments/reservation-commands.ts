import type { AttachmentPurpose } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { newId } from '../platform/new-id.ts';
import { safeInteger } from '../store/decode.ts';
import type { Writer } from '../store/store.ts';
import { findShortage, type Quota, type Shortage, type Usage } from './quota.ts';

/** The upload that room is asked for. */
export interface UploadClaim {
  readonly ownerId: string;
  readonly uploadId: string;
  readonly purpose: AttachmentPurpose;
  readonly reservedBytes: number;
  readonly leaseEndsAt: Date;
  readonly now: Date;
}

/** What may be in use by one agent and in all. */
export interface Quotas {
  readonly own: Quota;
  readonly all: Quota;
}

/** How a claim ended. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly id: string }
  | { readonly kind: 'known' }
  | { readonly kind: 'short'; readonly shortage: Shortage };

const everybody = 'all';

// What is in use is locked before uploads, the agent's row before everybody's:
// commands that touch the same rows then wait for each other instead of
// deadlocking, on one instance or on several.

/** Reserves room for an upload and claims its id, or says why not. Parallel claims see each other. */
export async function claimUpload(writer: Writer, quotas: Quotas, claim: UploadClaim): Promise<Claimed> {
  const own = await lockUsage(writer, claim.ownerId);
  const all = await lockUsage(writer, everybody);
  const known = await writer
    .selectFrom('attachments')
    .where('owner_id', '=', claim.ownerId)
    .where('upload_id', '=', claim.uploadId)
    .select('id')
    .executeTakeFirst();
  if (known !== undefined) return { kind: 'known' };
  const shortage = findShortage(
    { usage: own, quota: quotas.own },
    { usage: all, quota: quotas.all },
    claim.reservedBytes,
  );
  if (shortage !== undefined) return { kind: 'short', shortage };
  const id = newId();
  await writer
    .insertInto('attachments')
    .values({
      id,
      owner_id: claim.ownerId,
      upload_id: claim.uploadId,
      purpose: claim.purpose,
      state: 'receiving',
      reserved_bytes: claim.reservedBytes,
      lease_expires_at: claim.leaseEndsAt,
      created_at: claim.now,
    })
    .execute();
  await addUsage(writer, claim.ownerId, { files: 1, bytes: claim.reservedBytes, records: 1 });
  return { kind: 'claimed', id };
}

/** Takes one of the places where files are checked; false when all are taken, on whatever instance. */
export async function takeCheckingPlace(writer: Writer, id: string, placesMax: number, now: Date): Promise<boolean> {
  await lockUsage(writer, everybody);
  const { taken } = await writer
    .selectFrom('attachments')
    .where('state', '=', 'checking')
    .where('lease_expires_at', '>', now)
    .select(({ fn }) => fn.countAll<string | number>().as('taken'))
    .executeTakeFirstOrThrow();
  if (placesMax !== 0 && safeInteger(taken) >= placesMax) return false;
  const started = await writer
    .updateTable('attachments')
    .set({ state: 'checking' })
    .where('id', '=', id)
    .where('state', '=', 'receiving')
    .returning('id')
    .executeTakeFirst();
  return started !== undefined;
}

/** Gives back what an upload reserved, and its id: as if it had never come. */
export async function releaseUpload(writer: Writer, id: string, ownerId: string): Promise<void> {
  await lockUsage(writer, ownerId);
  await lockUsage(writer, everybody);
  const released = await writer
    .deleteFrom('attachments')
    .where('id', '=', id)
    .where('state', 'in', ['receiving', 'checking'])
    .returning('reserved_bytes')
    .executeTakeFirst();
  if (released === undefined) return;
  await addUsage(writer, ownerId, { files: -1, bytes: -safeInteger(released.reserved_bytes), records: -1 });
}

/** Gives back what a refused file reserved; its record stays and holds the id. */
export async function rejectUpload(writer: Writer, id: string, ownerId: string): Promise<void> {
  await lockUsage(writer, ownerId);
  await lockUsage(writer, everybody);
  await endReservation(writer, id, ownerId, 'rejected');
}

/** What a finished file is, to be written into its row. */
export interface FinishedFile {
  readonly sha256: string;
  readonly filename: string;
  readonly media_type: string;
  /** Null where only the processed version is kept. */
  readonly size_bytes: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly page_count: number | null;
  readonly preview_sha256: string;
  readonly preview_size_bytes: number;
  readonly preview_width: number;
  readonly preview_height: number;
}

/** Makes a checked upload a file. False when its lease has run out and it was given up meanwhile. */
export async function finishUpload(writer: Writer, id: string, ownerId: string, file: FinishedFile): Promise<boolean> {
  await lockUsage(writer, ownerId);
  await lockUsage(writer, everybody);
  const reserved = await lockReservation(writer, id);
  if (reserved === undefined) return false;
  await writer
    .updateTable('attachments')
    .set({ ...file, state: 'ready', reserved_bytes: 0, lease_expires_at: null })
    .where('id', '=', id)
    .execute();
  const bytes = (file.size_bytes ?? 0) + file.preview_size_bytes;
  await addUsage(writer, ownerId, { files: 0, bytes: bytes - reserved, records: 0 });
  return true;
}

/** Renews the leases of uploads that are under way. */
export async function renewLeases(writer: Writer, ids: readonly string[], leaseEndsAt: Date): Promise<void> {
  await writer
    .updateTable('attachments')
    .set({ lease_expires_at: leaseEndsAt })
    .where('id', 'in', ids)
    .where('lease_expires_at', 'is not', null)
    .execute();
}

/** An upload whose process is gone. */
export interface LostUpload {
  readonly id: string;
  readonly ownerId: string;
}

/** Gives up uploads whose lease ended before `deadline`: room is given back, the record stays and holds the id. */
export async function abandonUploads(
  writer: Writer,
  lost: readonly LostUpload[],
  deadline: Date,
): Promise<readonly string[]> {
  const owners = [...new Set(lost.map(({ ownerId }) => ownerId))].sort();
  for (const owner of owners) await lockUsage(writer, owner);
  await lockUsage(writer, everybody);
  const abandoned: string[] = [];
  for (const { id, ownerId } of lost) {
    if (await endReservation(writer, id, ownerId, 'abandoned', deadline)) abandoned.push(id);
  }
  return abandoned;
}

/**
 * Cleans files for which `isOver` still holds once they are locked: their room is
 * free from now on, and the records stay. Answers how many there were.
 */
export async function cleanFiles(
  writer: Writer,
  files: readonly { readonly id: string; readonly ownerId: string }[],
  isOver: RawBuilder<boolean>,
  now: Date,
): Promise<number> {
  const owners = [...new Set(files.map(({ ownerId }) => ownerId))].sort();
  for (const owner of owners) await lockUsage(writer, owner);
  if (owners.length > 0) await lockUsage(writer, everybody);
  let cleaned = 0;
  for (const { id, ownerId } of files) {
    const { rows } = await sql<{ bytes: number | string }>`
      update attachments set cleaned_at = ${now} where id = ${id} and ${isOver}
      returning coalesce(size_bytes, 0) + coalesce(preview_size_bytes, 0) as bytes`.execute(writer);
    const [row] = rows;
    if (row === undefined) continue;
    await addUsage(writer, ownerId, { files: -1, bytes: -safeInteger(row.bytes), records: 0 });
    cleaned += 1;
  }
  return cleaned;
}

async function endReservation(
  writer: Writer,
  id: string,
  ownerId: string,
  state: 'rejected' | 'abandoned',
  deadline?: Date,
): Promise<boolean> {
  const reserved = await lockReservation(writer, id, deadline);
  if (reserved === undefined) return false;
  await writer
    .updateTable('attachments')
    .set({ state, reserved_bytes: 0, lease_expires_at: null })
    .where('id', '=', id)
    .execute();
  await addUsage(writer, ownerId, { files: -1, bytes: -reserved, records: 0 });
  return true;
}

async function lockReservation(writer: Writer, id: string, deadline?: Date): Promise<number | undefined> {
  let query = writer
    .selectFrom('attachments')
    .where('id', '=', id)
    .where('state', 'in', ['receiving', 'checking'])
    .select('reserved_bytes')
    .forUpdate();
  if (deadline !== undefined) query = query.where('lease_expires_at', '<', deadline);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : safeInteger(row.reserved_bytes);
}

async function lockUsage(writer: Writer, key: string): Promise<Usage> {
  const { rows } = await sql<{ files: number; bytes: string | number; records: number }>`
    insert into file_usage (key, files, bytes, records) values (${key}, 0, 0, 0)
    on conflict (key) do update set files = file_usage.files
    returning files, bytes, records`.execute(writer);
  const [row] = rows;
  if (row === undefined) throw new Error('The database did not return the row that it was asked to lock.');
  return { files: row.files, bytes: safeInteger(row.bytes), records: row.records };
}

async function addUsage(writer: Writer, ownerId: string, { files, bytes, records }: Usage): Promise<void> {
  await writer
    .updateTable('file_usage')
    .set((row) => ({
      files: row('files', '+', files),
      bytes: row('bytes', '+', bytes),
      records: row('records', '+', records),
    }))
    .where('key', 'in', [ownerId, everybody])
    .execute();
}
