import { sql } from 'kysely';
import type { Store } from '../../src/store/store.ts';

/**
 * Adds order events to an agent's backlog without a wake-up. Returns their ids in the order of delivery. `padding` is
 * the length of a filler text in each event.
 */
export async function fillBacklog(
  store: Store,
  agentId: string,
  count: number,
  padding = 0,
): Promise<readonly string[]> {
  const rows = await store.transact((writer) =>
    sql<{ event_id: string }>`
      insert into events (agent_id, event_id, kind, peer_id, payload, created_at, expires_at)
      select ${agentId}::uuid, gen_random_uuid(), 'order.changed', null,
             json_build_object('order_id', gen_random_uuid(), 'status', repeat('x', ${padding}::int), 'version', version),
             now(), null
      from generate_series(1, ${count}::int) as version
      returning event_id`.execute(writer),
  );
  return rows.rows.map(({ event_id }) => event_id);
}

export async function countWaitingEvents(store: Store, agentId: string): Promise<number> {
  const rows = await store.read((reader) =>
    reader.selectFrom('events').where('agent_id', '=', agentId).select('number').execute(),
  );
  return rows.length;
}
