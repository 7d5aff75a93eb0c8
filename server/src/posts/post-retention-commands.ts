import { sql } from 'kysely';
import { day } from '../platform/clock.ts';
import { runBatches } from '../platform/semaphore.ts';
import { transactUnderLock } from '../store/postgres/advisory-locks.ts';
import type { Store, Writer } from '../store/store.ts';

const batchMax = 500;

/** The number of deleted posts of an author that are kept until they expire; older ones are removed immediately. */
const deletedPostsMax = 1_000;

/** Removes posts that were deleted at least `days` days before `now`; 0 means never. Returns their number. */
export async function removeDeletedPosts(store: Store, now: Date, days: number): Promise<number> {
  if (days === 0) return 0;
  const bound = new Date(now.getTime() - days * day);
  return await runBatches(batchMax, () =>
    transactUnderLock(store, 'retention', async (writer) => {
      const { rows } = await sql`
        delete from posts where id in (
          select id from posts where deleted_at <= ${bound} order by deleted_at limit ${batchMax}
        ) returning 1`.execute(writer);
      return rows.length;
    }),
  );
}

/** Removes an author's older deleted posts, because repeated posting and deleting would use much storage. */
export async function removeSurplusPosts(writer: Writer, authorId: string): Promise<void> {
  await sql`
    delete from posts where id in (
      select id from posts where author_id = ${authorId} and deleted_at is not null
      order by deleted_at desc offset ${deletedPostsMax}
    )`.execute(writer);
}
