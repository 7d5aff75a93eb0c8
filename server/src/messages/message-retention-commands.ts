import { sql } from 'kysely';
import { addTextBytesSql } from '../identity/text-usage-commands.ts';
import { runBatches } from '../platform/semaphore.ts';
import { toSafeInteger } from '../store/decode.ts';
import { transactUnderLock } from '../store/postgres/advisory-locks.ts';
import type { Store } from '../store/store.ts';

const released = sql.raw(
  addTextBytesSql(
    'sender_id',
    '-sum(bytes)',
    'from emptied group by sender_id order by sender_id',
    String(Number.MAX_SAFE_INTEGER),
  ),
);

/** A batch of this size takes far less time than the statement timeout. */
const batchMax = 500;

/**
 * Removes the content of every message that has expired at `now`. The rows stay, so that ids and nonces cannot be
 * reused. Returns the number of these messages.
 */
export async function removeExpiredMessageContent(store: Store, now: Date): Promise<number> {
  return await runBatches(batchMax, () =>
    transactUnderLock(store, 'retention', async (writer) => {
      const { rows } = await sql<{ count: number | string }>`
        with expired as (
          select sender_id, client_message_id, octet_length(ciphertext) as bytes from messages
          where ciphertext is not null and expires_at <= ${now} order by expires_at limit ${batchMax}
        ), emptied as (
          update messages set ciphertext = null from expired
          where messages.sender_id = expired.sender_id and messages.client_message_id = expired.client_message_id
          returning messages.sender_id, expired.bytes
        ), counted as (${released})
        select count(*) as count from emptied`.execute(writer);
      return toSafeInteger(rows[0]?.count ?? 0);
    }),
  );
}
