import { timestampToMs } from '../store/decode.ts';
import { prepareSqlText } from '../store/statements/prepared.ts';
import type { Store } from '../store/store.ts';
import { StoreReadOnlyError } from '../store/unavailable.ts';
import { makeMemoryCounters, type RateLimitCounters, windowId } from './counters.ts';

interface StoredWindow {
  readonly key: string;
  readonly count: number;
  readonly ends_at: Date | string;
}

// Applies the same rule as `isWindowCurrent`. It is a single statement, because several limits are checked before every
// request that changes something.
const countInto = prepareSqlText<StoredWindow>(
  'count-into-windows',
  `insert into rate_windows (key, count, ends_at)
   select key, count, ends_at from unnest($1::text[], $2::int[], $3::timestamptz[]) as counted (key, count, ends_at)
   on conflict (key) do update set
     count = case when rate_windows.ends_at > $4::timestamptz and rate_windows.ends_at <= excluded.ends_at + interval '1 minute'
       then rate_windows.count + excluded.count else excluded.count end,
     ends_at = case when rate_windows.ends_at > $4::timestamptz and rate_windows.ends_at <= excluded.ends_at + interval '1 minute'
       then rate_windows.ends_at else excluded.ends_at end
   returning key, count, ends_at`,
);

/**
 * Counters in the database, for several instances on one PostgreSQL. While it does not accept writes, each process
 * counts by itself, so that read requests are still served.
 */
export function makeStoredCounters(store: Store): RateLimitCounters {
  const own = makeMemoryCounters();
  return {
    async count(counts, now) {
      const windows = counts.map((count) => ({
        key: windowId(count),
        count: count.amount,
        ends_at: new Date(now.getTime() + count.limit.windowMs).toISOString(),
      }));
      // Rows are locked in the order of their keys, so that two instances that count the same keys wait for each
      // other instead of deadlocking.
      const inOrder = windows.toSorted((one, other) => (one.key < other.key ? -1 : 1));
      const values = [
        inOrder.map(({ key }) => key),
        inOrder.map(({ count }) => count),
        inOrder.map(({ ends_at }) => ends_at),
        now,
      ];
      const rows = await store.run(countInto, values).catch((error: unknown) => {
        if (!(error instanceof StoreReadOnlyError)) throw error;
      });
      if (rows === undefined) return await own.count(counts, now);
      const byKey = new Map(rows.map((row) => [row.key, { count: row.count, endsAtMs: timestampToMs(row.ends_at) }]));
      return windows.map(({ key }) => {
        const window = byKey.get(key);
        if (window === undefined) throw new Error(`The database returned no window for ${key}.`);
        return window;
      });
    },
    async sweep(now) {
      await own.sweep(now);
      await store.transact((writer) => writer.deleteFrom('rate_windows').where('ends_at', '<=', now).execute());
    },
  };
}
