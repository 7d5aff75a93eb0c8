import { type RawBuilder, sql } from 'kysely';
import { toSafeInteger } from '../store/decode.ts';
import type { Store } from '../store/store.ts';

/** With this many bytes in the write-ahead log, a checkpoint is worthwhile, because it frees the older files. */
const usualLogMaxBytes = 32 * 1024 * 1024;

/**
 * Makes an embedded database reuse the space of dead rows and old log files. PostgreSQL servers do this in background
 * processes, which the embedded database lacks. Does nothing on PostgreSQL, or if there is little to gain. Returns the
 * vacuumed tables, and whether it made a checkpoint.
 */
export async function reclaimSpace(store: Store, logMaxBytes = usualLogMaxBytes) {
  if (store.kind === 'postgresql') return { vacuumed: [], checkpoint: false };
  const execute = <Row>(statement: RawBuilder<Row>) => store.read((reader) => statement.execute(reader));
  const { rows: tables } = await execute(sql<{ name: string }>`
    select relname as name from pg_stat_user_tables where n_dead_tup > 50 + 0.1 * n_live_tup order by relname`);
  const vacuumed = tables.map(({ name }) => name);
  // Tables are vacuumed one by one, so that requests are served in between.
  for (const name of vacuumed) await execute(sql`vacuum ${sql.table(name)}`);
  const { rows } = await execute(sql<{ bytes: number | string }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()`);
  if (toSafeInteger(rows[0]?.bytes ?? 0) <= logMaxBytes) return { vacuumed, checkpoint: false };
  // Removes old files; by default, 80 MB of them would be kept for reuse.
  await execute(sql`select set_config('wal_recycle', 'off', false)`);
  return { vacuumed, checkpoint: await store.checkpoint() };
}
