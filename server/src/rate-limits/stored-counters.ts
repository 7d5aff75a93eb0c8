import { sql } from 'kysely';
import { milliseconds } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import type { Counters } from './counters.ts';

/** Counters in the database, for several instances on one PostgreSQL. */
export function storedCounters(store: Store): Counters {
  return {
    async count(limit, key, amount, now) {
      const id = `${limit.name}:${key}`;
      const endsAt = new Date(now.getTime() + limit.windowMs);
      const row = await store.transact((writer) =>
        writer
          .insertInto('rate_windows')
          .values({ key: id, count: amount, ends_at: endsAt })
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet({
              count: sql<number>`case when rate_windows.ends_at <= ${now} then ${amount} else rate_windows.count + ${amount} end`,
              ends_at: sql<Date>`case when rate_windows.ends_at <= ${now} then excluded.ends_at else rate_windows.ends_at end`,
            }),
          )
          .returning(['count', 'ends_at'])
          .executeTakeFirstOrThrow(),
      );
      return { count: row.count, endsAtMs: milliseconds(row.ends_at) };
    },
    async sweep(now) {
      await store.transact((writer) => writer.deleteFrom('rate_windows').where('ends_at', '<=', now).execute());
    },
  };
}
