import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Store } from '../src/store/store.ts';

/** A deadlock is repeated inside the store and answered well: only PostgreSQL tells. */
export async function expectNoDeadlocks(store: Store): Promise<void> {
  const { rows } = await store.read((reader) =>
    sql<{ deadlocks: number }>`select deadlocks::int as deadlocks from pg_stat_database
                               where datname = current_database()`.execute(reader),
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
}
