import { sql } from 'kysely';
import { runBatches } from '../../platform/semaphore.ts';
import { databaseNowSql } from '../../store/clock/stored-clock.ts';
import { transactUnderLock } from '../../store/postgres/advisory-locks.ts';
import type { Store } from '../../store/store.ts';

const batchMax = 1_000;

/**
 * Removes expired and ended tokens; responses do not change, because an unknown token is refused in the same way.
 * Compares their times with the database's clock, too: a server whose clock is fast must not remove a valid token,
 * because agents cannot get another one. Returns the number of removed tokens.
 */
export async function removeEndedTokens(store: Store, now: Date): Promise<number> {
  return await runBatches(batchMax, () =>
    transactUnderLock(store, 'retention', async (writer) => {
      const { rows } = await sql`
        delete from tokens where token_hash in (
          select token_hash from tokens where least(expires_at, ended_at) <= least(${now}::timestamptz, ${databaseNowSql})
          limit ${batchMax}
        ) returning 1`.execute(writer);
      return rows.length;
    }),
  );
}
