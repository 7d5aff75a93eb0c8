import type { AttachmentPurpose } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../platform/new-id.ts';
import { safeInteger } from '../../store/decode.ts';
import { prepareText, runPrepared } from '../../store/prepared.ts';
import type { Writer } from '../../store/store.ts';
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
  const { ownerId, reservedBytes } = claim;
  const rows = await runPrepared(writer, takingRoom, [
    newId(),
    ownerId,
    claim.uploadId,
    claim.purpose,
    reservedBytes,
    claim.leaseEndsAt,
    claim.now,
  ]);
  const [own, all] = rows.map((row) => withoutOne(decodeUsage(row), reservedBytes));
  const id = rows[0]?.id;
  if (own === undefined || all === undefined || id === undefined) throw noSuchRows();
  // An upload that is known needs no room.
  if (id === null) {
    await addUsage(writer, ownerId, { files: -1, bytes: -reservedBytes, records: -1 });
    return { kind: 'known' };
  }
  const shortage = findShortage({ usage: own, quota: quotas.own }, { usage: all, quota: quotas.all }, reservedBytes);
  if (shortage === undefined) return { kind: 'claimed', id };
  await releaseUpload(writer, id, ownerId);
  return { kind: 'short', shortage };
}

function withoutOne({ files, bytes, records }: Usage, reservedBytes: number): Usage {
  return { files: files - 1, bytes: bytes - reservedBytes, records: records - 1 };
}

// It takes what it can and tells what is in use then, which nobody else changes
// until the end of the transaction: one statement for what nearly always fits.
const takingRoom = prepareText<StoredUsage & { readonly id: string | null }>(
  'take-room-for-upload',
  `with used as (
     insert into file_usage (key, files, bytes, records)
     values ($2::text, 1, $5::bigint, 1), ('all', 1, $5::bigint, 1)
     on conflict (key) do update set
       files = file_usage.files + 1, bytes = file_usage.bytes + excluded.bytes, records = file_usage.records + 1
     returning key, files, bytes, records
   ), claimed as (
     insert into attachments (id, owner_id, upload_id, purpose, state, reserved_bytes, lease_expires_at, created_at)
     select $1::uuid, $2::text::uuid, $3::uuid, $4::text, 'receiving', $5::bigint, $6::timestamptz, $7::timestamptz
     where (select count(*) from used) = 2
     on conflict (owner_id, upload_id) do nothing
     returning id
   )
   select files, bytes, records, (select id from claimed) as id from used order by key = 'all'`,
);

/** Takes one of the places where files are checked; false when all are taken, on whatever instance. */
export async function takeCheckingPlace(writer: Writer, id: string, placesMax: number, now: Date): Promise<boolean> {
  // First the lock, then a statement that sees what was taken before it.
  await lockUsages(writer, []);
  return (await runPrepared(writer, takingPlace, [id, placesMax, now])).length === 1;
}

const takingPlace = prepareText<{ readonly id: string }>(
  'take-checking-place',
  `update attachments set state = 'checking'
   where id = $1::uuid and state = 'receiving' and (
     $2::int = 0 or $2::int > (
       select count(*) from attachments as others
       where others.state = 'checking' and others.lease_expires_at > $3::timestamptz
     )
   )
   returning id`,
);

/** Gives back what an upload reserved, and its id: as if it had never come. */
export async function releaseUpload(writer: Writer, id: string, ownerId: string): Promise<void> {
  await lockUsages(writer, [ownerId]);
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
  await lockUsages(writer, [ownerId]);
  await giveUp(writer, id, ownerId, 'rejected');
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
  await lockUsages(
    writer,
    lost.map(({ ownerId }) => ownerId),
  );
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
  if (files.length === 0) return 0;
  await lockUsages(
    writer,
    files.map(({ ownerId }) => ownerId),
  );
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

/** Ends what is still a reservation, and gives back what it had reserved until now. */
async function giveUp(
  writer: Writer,
  id: string,
  ownerId: string,
  state: 'rejected' | 'abandoned',
  deadline?: Date,
): Promise<boolean> {
  let open = writer
    .selectFrom('attachments')
    .where('id', '=', id)
    .where('state', 'in', ['receiving', 'checking'])
    .select(['id as open_id', 'reserved_bytes as reserved'])
    .forUpdate();
  if (deadline !== undefined) open = open.where('lease_expires_at', '<', deadline);
  const ended = await writer
    .with('open', () => open)
    .updateTable('attachments')
    .from('open')
    .set({ state, reserved_bytes: 0, lease_expires_at: null })
    .whereRef('attachments.id', '=', 'open.open_id')
    .returning('open.reserved')
    .executeTakeFirst();
  if (ended === undefined) return false;
  await addUsage(writer, ownerId, { files: -1, bytes: -safeInteger(ended.reserved), records: 0 });
  return true;
}

/** Locks what these agents use, in the order of their ids, and then what everybody does. */
async function lockUsages(writer: Writer, ownerIds: readonly string[]): Promise<void> {
  const keys = [...new Set(ownerIds)].sort().concat(everybody);
  const locked = await runPrepared(writer, locking, [keys]);
  if (locked.length !== keys.length) throw noSuchRows();
}

const locking = prepareText<{ readonly key: string }>(
  'lock-file-usage',
  `insert into file_usage (key, files, bytes, records)
   select key, 0, 0, 0 from unnest($1::text[]) with ordinality as wanted (key, place) order by place
   on conflict (key) do update set files = file_usage.files
   returning key`,
);

async function addUsage(writer: Writer, ownerId: string, { files, bytes, records }: Usage): Promise<void> {
  await runPrepared(writer, adding, [ownerId, files, bytes, records]);
}

const adding = prepareText<never>(
  'add-file-usage',
  `update file_usage set files = files + $2::int, bytes = bytes + $3::bigint, records = records + $4::int
   where key in ($1::text, 'all')`,
);

interface StoredUsage {
  readonly files: number;
  readonly bytes: string | number;
  readonly records: number;
}

function decodeUsage({ files, bytes, records }: StoredUsage): Usage {
  return { files, bytes: safeInteger(bytes), records };
}

function noSuchRows(): Error {
  return new Error('The database did not return the rows it was to lock.');
}
