import type { AttachmentPurpose } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { newId } from '../platform/new-id.ts';
import { safeInteger } from '../store/decode.ts';
import type { Writer } from '../store/store.ts';
import { decodeAttachment } from './attachment-queries.ts';
import type { StoredAttachment } from './attachment-view.ts';
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
  const { own, all } = await lockOwnAndAll(writer, claim.ownerId);
  const shortage = findShortage(
    { usage: own, quota: quotas.own },
    { usage: all, quota: quotas.all },
    claim.reservedBytes,
  );
  // An upload that is known needs no room.
  if (shortage !== undefined) return (await isKnown(writer, claim)) ? { kind: 'known' } : { kind: 'short', shortage };
  const claimed = await writer
    .insertInto('attachments')
    .values({
      id: newId(),
      owner_id: claim.ownerId,
      upload_id: claim.uploadId,
      purpose: claim.purpose,
      state: 'receiving',
      reserved_bytes: claim.reservedBytes,
      lease_expires_at: claim.leaseEndsAt,
      created_at: claim.now,
    })
    .onConflict((conflict) => conflict.columns(['owner_id', 'upload_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (claimed === undefined) return { kind: 'known' };
  await addUsage(writer, claim.ownerId, { files: 1, bytes: claim.reservedBytes, records: 1 });
  return { kind: 'claimed', id: claimed.id };
}

async function isKnown(writer: Writer, { ownerId, uploadId }: UploadClaim): Promise<boolean> {
  const known = await writer
    .selectFrom('attachments')
    .where('owner_id', '=', ownerId)
    .where('upload_id', '=', uploadId)
    .select('id')
    .executeTakeFirst();
  return known !== undefined;
}

/** Takes one of the places where files are checked; false when all are taken, on whatever instance. */
export async function takeCheckingPlace(writer: Writer, id: string, placesMax: number, now: Date): Promise<boolean> {
  // First the lock, then a statement that sees what was taken before it.
  await lockUsages(writer, [everybody]);
  let taking = writer
    .updateTable('attachments')
    .set({ state: 'checking' })
    .where('id', '=', id)
    .where('state', '=', 'receiving');
  if (placesMax !== 0) {
    taking = taking.where(
      ({ selectFrom }) =>
        selectFrom('attachments as others')
          .where('others.state', '=', 'checking')
          .where('others.lease_expires_at', '>', now)
          .select(({ fn }) => fn.countAll().as('taken')),
      '<',
      placesMax,
    );
  }
  return (await taking.returning('id').executeTakeFirst()) !== undefined;
}

/** Gives back what an upload reserved, and its id: as if it had never come. */
export async function releaseUpload(writer: Writer, id: string, ownerId: string): Promise<void> {
  await lockOwnAndAll(writer, ownerId);
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
  await lockOwnAndAll(writer, ownerId);
  await giveUp(writer, id, ownerId, 'rejected');
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

/** Makes a checked upload a file, and returns it. Undefined when its lease has run out and it was given up meanwhile. */
export async function finishUpload(
  writer: Writer,
  id: string,
  ownerId: string,
  file: FinishedFile,
): Promise<StoredAttachment | undefined> {
  await lockOwnAndAll(writer, ownerId);
  const finished = await endReservation(writer, id, { ...file, state: 'ready' });
  if (finished === undefined) return undefined;
  const { reserved, ...attachment } = finished;
  const bytes = (file.size_bytes ?? 0) + file.preview_size_bytes;
  await addUsage(writer, ownerId, { files: 0, bytes: bytes - safeInteger(reserved), records: 0 });
  return decodeAttachment(attachment);
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
  await lockUsages(writer, [...owners, everybody]);
  const abandoned: string[] = [];
  for (const { id, ownerId } of lost) {
    if (await giveUp(writer, id, ownerId, 'abandoned', deadline)) abandoned.push(id);
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
  if (owners.length > 0) await lockUsages(writer, [...owners, everybody]);
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

async function giveUp(
  writer: Writer,
  id: string,
  ownerId: string,
  state: 'rejected' | 'abandoned',
  deadline?: Date,
): Promise<boolean> {
  const ended = await endReservation(writer, id, { state }, deadline);
  if (ended === undefined) return false;
  await addUsage(writer, ownerId, { files: -1, bytes: -safeInteger(ended.reserved), records: 0 });
  return true;
}

/** Ends what is still a reservation, and returns its row with what it had reserved until now. */
async function endReservation(
  writer: Writer,
  id: string,
  outcome: Partial<FinishedFile> & { readonly state: string },
  deadline?: Date,
) {
  let open = writer
    .selectFrom('attachments')
    .where('id', '=', id)
    .where('state', 'in', ['receiving', 'checking'])
    .select(['id as open_id', 'reserved_bytes as reserved'])
    .forUpdate();
  if (deadline !== undefined) open = open.where('lease_expires_at', '<', deadline);
  return await writer
    .with('open', () => open)
    .updateTable('attachments')
    .from('open')
    .set({ ...outcome, reserved_bytes: 0, lease_expires_at: null })
    .whereRef('attachments.id', '=', 'open.open_id')
    .returningAll('attachments')
    .returning('open.reserved')
    .executeTakeFirst();
}

async function lockOwnAndAll(writer: Writer, ownerId: string): Promise<{ readonly own: Usage; readonly all: Usage }> {
  const [own, all] = await lockUsages(writer, [ownerId, everybody]);
  if (own === undefined || all === undefined) throw new Error('The database did not return the rows it was to lock.');
  return { own, all };
}

/** Locks in the order of the keys, which is that of the answer. */
async function lockUsages(writer: Writer, keys: readonly string[]): Promise<readonly Usage[]> {
  const nothing = sql.join(keys.map((key) => sql`(${key}, 0, 0, 0)`));
  const { rows } = await sql<{ files: number; bytes: string | number; records: number }>`
    insert into file_usage (key, files, bytes, records) values ${nothing}
    on conflict (key) do update set files = file_usage.files
    returning files, bytes, records`.execute(writer);
  return rows.map(({ files, bytes, records }) => ({ files, bytes: safeInteger(bytes), records }));
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
