import { type RawBuilder, sql } from 'kysely';
import { type Clock, computeDeletionCutoff, day, hour } from '../platform/clock.ts';
import { toSafeInteger } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

/** How long files are kept (§9.14, §9.15); 0 means forever. */
export interface FileRetentionPeriods {
  /** The period for a ready file that was never attached. */
  readonly unattachedFileHours: number;
  /** The period for a file that was detached, or whose post was deleted. */
  readonly detachedFileDays: number;
}

/** The clock and retention periods by which servers hide expired files until retention removes them. */
export interface FileExpiry {
  readonly clock: Clock;
  readonly terms: FileRetentionPeriods;
}

/** Retention periods with which no file expires. */
export const noExpiry: FileExpiry = {
  clock: () => new Date(0),
  terms: { unattachedFileHours: 0, detachedFileDays: 0 },
};

/**
 * The SQL condition that a file in `attachments` has expired but is not removed yet. The expiry of a detached file is
 * compared with `due`, that of other files with `now`.
 */
export function isExpiredSql(
  { unattachedFileHours, detachedFileDays }: FileRetentionPeriods,
  now: Date,
  due: Date = now,
): RawBuilder<boolean> {
  const unattached =
    unattachedFileHours === 0
      ? sql`false`
      : sql`bound_kind is null and created_at <= ${computeDeletionCutoff(now, unattachedFileHours * hour)}`;
  const detached =
    detachedFileDays === 0 ? sql`false` : sql`detached_at <= ${computeDeletionCutoff(due, detachedFileDays * day)}`;
  return sql`state = 'ready' and cleaned_at is null and ((${unattached}) or coalesce(${detached}, false))`;
}

export type ExpiredFileUsage = Awaited<ReturnType<typeof findExpiredFileUsage>>;

/** Finds the quota that the expired files of an agent and of all agents still use. */
export async function findExpiredFileUsage(reader: Reader, ownerId: string, isExpired: RawBuilder<boolean>) {
  const { rows } = await sql<{ own: boolean; files: number; bytes: number | string }>`
    select owner_id = ${ownerId} as own, count(*)::int as files,
      sum(coalesce(size_bytes, 0) + coalesce(preview_size_bytes, 0))::bigint as bytes
    from attachments where ${isExpired} group by own`.execute(reader);
  const sum = (counted: typeof rows) => ({
    files: counted.reduce((files, row) => files + row.files, 0),
    bytes: counted.reduce((bytes, row) => bytes + toSafeInteger(row.bytes), 0),
  });
  return { own: sum(rows.filter(({ own }) => own)), all: sum(rows) };
}
