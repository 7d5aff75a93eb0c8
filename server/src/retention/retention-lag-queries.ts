import { type RawBuilder, sql } from 'kysely';
import { computeDeletionCutoff, day } from '../platform/clock.ts';

/**
 * When the oldest content that a server would remove at the time `at` became deletable; null if there is none. Files
 * have no index for this query; a run that fails on files is detected by its overdue tokens, which are removed last.
 */
export function oldestDeletableTimeSql(at: Date, detachedFileDays: number): RawBuilder<string | Date | null> {
  const now = computeDeletionCutoff(at);
  const posts =
    detachedFileDays === 0
      ? sql`null`
      : sql`(select deleted_at + make_interval(secs => ${(detachedFileDays * day) / 1_000}) from posts
             where deleted_at <= ${new Date(now.getTime() - detachedFileDays * day)} order by deleted_at limit 1)`;
  return sql`${at}::timestamptz - ${now}::timestamptz + least(
    (select expires_at from messages where ciphertext is not null and expires_at <= ${now} order by expires_at limit 1),
    (select expires_at from events where expires_at <= ${now} order by expires_at limit 1),
    ${posts},
    (select least(expires_at, ended_at) from tokens
     where least(expires_at, ended_at) <= ${now} order by least(expires_at, ended_at) limit 1))`;
}
