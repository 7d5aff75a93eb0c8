import { sql } from 'kysely';
import { milliseconds } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import { type Counters, windowId } from './counters.ts';

/** Counters in the database, for several instances on one PostgreSQL. */
export function storedCounters(store: Store): Counters {
  return {
    async count(counts, now) {
      const windows = counts.map((count) => ({
        key: windowId(count),
        count: count.amount,
        ends_at: new Date(now.getTime() + count.limit.windowMs),
      }));
      // Rows are locked in the order of their keys: two instances that count the
      // same keys then wait for each other instead of deadlocking.
      const inOrder = windows.toSorted((one, other) => (one.key < other.key ? -1 : 1));
      const rows = await store.transact((writer) =>
        writer
          .insertInto('rate_windows')
          .values(inOrder)
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet({
              count: sql<number>`case when rate_windows.ends_at <= ${now} then excluded.count else rate_windows.count + excluded.count end`,
              ends_at: sql<Date>`case when rate_windows.ends_at <= ${now} then excluded.ends_at else rate_windows.ends_at end`,
            }),
          )
          .returning(['key', 'count', 'ends_at'])
          .execute(),
      );
      const byKey = new Map(rows.map((row) => [row.key, { count: row.count, endsAtMs: milliseconds(row.ends_at) }]));
      return windows.map(({ key }) => {
        const window = byKey.get(key);
        if (window === undefined) throw new Error(`The database returned no window for ${key}.`);
        return window;
      });
    },
    async sweep(now) {
      await store.transact((writer) => writer.deleteFrom('rate_windows').where('ends_at', '<=', now).execute());
    },
  };
}
