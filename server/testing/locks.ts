import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Store } from '../src/store/store.ts';

/** PostgreSQL's count includes deadlocks after which the store retried successfully. */
export async function expectNoDeadlocks(store: Store): Promise<void> {
  const { rows } = await store.read((reader) =>
    sql<{ deadlocks: number }>`select deadlocks::int as deadlocks from pg_stat_database
                               where datname = current_database()`.execute(reader),
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
}

/** Resolves when a statement in this database waits for a lock of another transaction. */
export async function waitForBlockedStatement(store: Store): Promise<void> {
  const findWaiting = () =>
    store.read((reader) =>
      sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(reader),
    );
  await expect.poll(async () => (await findWaiting()).rows.length).toBeGreaterThan(0);
}
