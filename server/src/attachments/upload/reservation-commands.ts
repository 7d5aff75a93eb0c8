import type { AttachmentPurpose } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/crypto.ts';
import { toSafeInteger } from '../../store/decode.ts';
import { columnsOf, prepareSqlText, runPreparedStatement } from '../../store/statements/prepared.ts';
import type { Store, Writer } from '../../store/store.ts';
import type { StoredAttachment } from '../attachment-view.ts';
import {
  type ExpiredFileUsage,
  type FileRetentionPeriods,
  findExpiredFileUsage,
  isExpiredSql,
  noExpiry,
} from '../file-expiry-queries.ts';
import { type FileQuota, type FileUsage, findQuotaShortage, type QuotaShortage } from '../quota.ts';
import { addFileUsage, lockUsageRows } from '../usage-commands.ts';
import type { CheckSlotOutcome, SharedCheckSlots } from './upload-queue-commands.ts';

interface UploadClaim {
  readonly ownerId: string;
  readonly uploadId: string;
  readonly purpose: AttachmentPurpose;
  readonly reservedBytes: number;
  readonly leaseEndsAt: Date;
  readonly now: Date;
  /** If absent, no file expires. */
  readonly terms?: FileRetentionPeriods;
}

/** The limits of one agent and of all agents together. */
export interface UploadQuotas {
  readonly own: FileQuota;
  readonly all: FileQuota;
}

export type UploadClaimResult =
  | { readonly kind: 'claimed'; readonly id: string }
  | { readonly kind: 'known' }
  | { readonly kind: 'short'; readonly shortage: QuotaShortage };

/**
 * Reserves quota for an upload and claims its id, or returns the reason for a refusal. Concurrent claims are
 * serialized.
 */
export async function claimUpload(
  writer: Writer,
  quotas: UploadQuotas,
  claim: UploadClaim,
): Promise<UploadClaimResult> {
  const { ownerId, uploadId, purpose, reservedBytes, leaseEndsAt, now, terms = noExpiry.terms } = claim;
  const values = [newId(), ownerId, uploadId, purpose, reservedBytes, leaseEndsAt, now];
  const [own, all] = await runPreparedStatement(writer, reserveQuota, values);
  if (own === undefined || all === undefined) throw new Error('The database did not return the usage of an upload.');
  const { id } = own;
  // Releases the quota again, because a repeat of a known upload needs none.
  if (id === null) {
    await addFileUsage(writer, ownerId, { files: -1, bytes: -reservedBytes, records: -1 });
    return { kind: 'known' };
  }
  const usageBefore = (row: StoredUsage, expired = { files: 0, bytes: 0 }): FileUsage => ({
    files: row.files - 1 - expired.files,
    bytes: toSafeInteger(row.bytes) - reservedBytes - expired.bytes,
    records: row.records - 1,
  });
  const compare = (expired?: ExpiredFileUsage) =>
    findQuotaShortage(
      { usage: usageBefore(own, expired?.own), quota: quotas.own },
      { usage: usageBefore(all, expired?.all), quota: quotas.all },
      reservedBytes,
    );
  let shortage = compare();
  // Expired files count until they are removed. Finding them takes time, so they are subtracted only if quota is short.
  if (shortage?.code === 'storage_quota_exceeded')
    shortage = compare(await findExpiredFileUsage(writer, ownerId, isExpiredSql(terms, now)));
  if (shortage === undefined) return { kind: 'claimed', id };
  await releaseUpload(writer, id, ownerId);
  return { kind: 'short', shortage };
}

interface StoredUsage {
  readonly files: number;
  readonly bytes: string | number;
  readonly records: number;
  readonly id: string | null;
}

// Reserves the quota before it is compared with the limits, so that one statement suffices in the usual case. The usage
// rows stay locked until the transaction ends.
const reserveQuota = prepareSqlText<StoredUsage>(
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
     where (select count(*) from used) = 2 and exists (select from bots where id = $2::text::uuid and suspended_at is null)
     on conflict (owner_id, upload_id) do nothing
     returning id
   )
   select files, bytes, records, (select id from claimed) as id from used order by key = 'all'`,
);

/** The limits of concurrent checks, for all instances together and for each; 0 means no limit. */
interface CheckLimits {
  readonly uploadChecks: number;
  readonly uploadChecksPerInstance: number;
}

/** Opens the checking slots of all instances. Each upload in state `checking` with an unexpired lease occupies one. */
export function openSharedCheckSlots(store: Store, clock: Clock, limits: CheckLimits): SharedCheckSlots {
  const { uploadChecks: slotsMax } = limits;
  // Slots need fair sharing between agents only if their number is limited.
  const isLimited = slotsMax !== 0 || limits.uploadChecksPerInstance !== 0;
  return {
    take: async ({ id, ownerId }, mayBeFurther) =>
      await store.transact(async (writer) => {
        // Locks the total row first, so that the next statement reads all slots that were taken before.
        await lockUsageRows(writer, []);
        const [slot] = await runPreparedStatement(writer, takeSlot, [
          id,
          ownerId,
          slotsMax,
          isLimited,
          mayBeFurther,
          clock(),
        ]);
        if (slot === undefined) throw new Error('The database did not return the outcome of a checking slot.');
        return slot.outcome;
      }),
    release: async (id) => {
      await store.transact((writer) =>
        writer
          .updateTable('attachments')
          .set({ state: 'receiving' })
          .where('id', '=', id)
          .where('state', '=', 'checking')
          .execute(),
      );
    },
  };
}

// Takes a checking slot by changing the upload's state. An agent with a running check gets an extra slot only while no
// other agent has an unchecked upload. The commit does not wait for the disk, because a crash may free slots.
const takeSlot = prepareSqlText<{ readonly outcome: CheckSlotOutcome }>(
  'take-checking-slot',
  `with running as (
     select count(*)::int as all_count, count(*) filter (where owner_id = $2::uuid)::int as own_count
     from attachments where state = 'checking' and lease_expires_at > $6::timestamptz
   ), taken as (
     update attachments set state = 'checking' from running
     where id = $1::uuid and state = 'receiving' and ($3::int = 0 or all_count < $3::int)
       and (not $4::boolean or own_count = 0 or $5::boolean and not exists (
         select from attachments as others
         where others.state = 'receiving' and others.owner_id <> $2::uuid and others.lease_expires_at > $6::timestamptz
       ))
     returning id
   )
   select case
       when exists (select from taken) then case when $4::boolean and own_count > 0 then 'taken-extra' else 'taken' end
       when $3::int <> 0 and all_count >= $3::int then 'full' else 'reserved'
     end as outcome, set_config('synchronous_commit', 'off', true)
   from running`,
);

/** Turns a checked upload into a file. Returns undefined if the lease had expired and the upload was abandoned. */
export async function finishUpload(
  store: Store,
  id: string,
  ownerId: string,
  file: FinishedFile,
): Promise<StoredAttachment | undefined> {
  const bytes = toSafeInteger(file.size_bytes ?? 0) + toSafeInteger(file.preview_size_bytes ?? 0);
  const [finished] = await store.run(finishing, [id, ownerId, bytes, ...fileColumns.map((column) => file[column])]);
  return finished;
}

const fileColumns = [
  ...(['sha256', 'sent_sha256', 'filename', 'media_type', 'size_bytes', 'width', 'height', 'page_count'] as const),
  ...(['preview_sha256', 'preview_size_bytes', 'preview_width', 'preview_height'] as const),
];

/** The stored columns of a finished file. The size of the original is null only for an avatar or character. */
export type FinishedFile = Pick<StoredAttachment, (typeof fileColumns)[number]>;

// One statement, because the client waits for it. It locks the agent's usage, the total usage and then the upload, like
// the other commands here. Each step reads the previous step's result, which enforces this order. `for update` reads
// rows again that other transactions changed in between.
const finishing = prepareSqlText<StoredAttachment>(
  'finish-upload',
  `with used as materialized (
     select key from file_usage where key in ($2::text, 'all') order by key = 'all' for update
   ), reservation as materialized (
     select id, reserved_bytes from attachments
     where id = $1::uuid and state in ('receiving', 'checking') and (select count(*) from used) = 2
     for update
   ), given_back as (
     update file_usage set bytes = bytes + $3::bigint - reserved_bytes
     from reservation where key in ($2::text, 'all')
   )
   update attachments set
     state = 'ready', reserved_bytes = 0, lease_expires_at = null,
     ${fileColumns.map((column, at) => `${column} = $${at + 4}`).join(', ')}
   from reservation where attachments.id = reservation.id
   returning ${columnsOf('attachments')
     .map((column) => `attachments.${column}`)
     .join(', ')}`,
);

/** Removes an unfinished upload, its reservation and its id, as if it had never existed. */
export async function releaseUpload(writer: Writer, id: string, ownerId: string): Promise<void> {
  await endReservation(writer, id, ownerId, sql`delete from attachments using reservation`, -1);
}

/** Ends an upload whose bytes may be stored. Frees its upload id, but keeps its row until the bytes are removed. */
export async function abandonStoredUpload(writer: Writer, id: string, ownerId: string, now: Date): Promise<void> {
  await endReservation(writer, id, ownerId, keepRecord('abandoned', now, sql`id`), -1);
}

/** Ends the upload of a refused file: releases its reservation, but keeps its record, so that the id stays used. */
export async function rejectUpload(writer: Writer, id: string, ownerId: string): Promise<void> {
  await endReservation(writer, id, ownerId, keepRecord('rejected', null), 0);
}

/** Like `rejectUpload`, for an upload whose lease expired before `deadline`. Returns false if there is none. */
export async function abandonUpload(writer: Writer, id: string, ownerId: string, deadline: Date): Promise<boolean> {
  const isExpired = sql`lease_expires_at < ${deadline}`;
  return await endReservation(writer, id, ownerId, keepRecord('abandoned', deadline), 0, isExpired);
}

const keepRecord = (state: 'rejected' | 'abandoned', cleanedAt: Date | null, uploadId = sql`upload_id`) => sql`
  update attachments set
    state = ${state}, upload_id = ${uploadId}, reserved_bytes = 0, lease_expires_at = null, cleaned_at = ${cleanedAt}
  from reservation`;

/** Ends the reservation of an unfinished upload; `change` removes or keeps its row. Returns false if there is none. */
async function endReservation(
  writer: Writer,
  id: string,
  ownerId: string,
  change: RawBuilder<unknown>,
  records: -1 | 0,
  condition = sql`true`,
): Promise<boolean> {
  await lockUsageRows(writer, [ownerId]);
  const { rows } = await sql<{ reserved: number | string }>`
    with reservation as (
      select id as reservation_id, reserved_bytes as reserved from attachments
      where id = ${id} and state in ('receiving', 'checking') and ${condition} for update
    )
    ${change} where id = reservation_id returning reserved`.execute(writer);
  const [ended] = rows;
  if (ended !== undefined)
    await addFileUsage(writer, ownerId, { files: -1, bytes: -toSafeInteger(ended.reserved), records });
  return ended !== undefined;
}

export async function renewLeases(writer: Writer, ids: readonly string[], leaseEndsAt: Date): Promise<void> {
  await writer
    .updateTable('attachments')
    .set({ lease_expires_at: leaseEndsAt })
    .where('id', 'in', ids)
    .where('lease_expires_at', 'is not', null)
    .execute();
}
