import { sql } from 'kysely';
import { prepareSql } from '../../store/statements/prepared.ts';
import type { Writer } from '../../store/store.ts';
import type { SlotClaim } from './connection-slots.ts';
import { liveProcessLocksSql } from './slot-queries.ts';

/**
 * The maximum time that the slots of a process stay reserved after it hangs or its machine fails. Even a slow process
 * renews its lease four times within this time.
 */
const leaseSeconds = 4;

const sweptAfterSeconds = 60;

/** `places` is the new total number of slots. */
interface PlaceChange {
  readonly places: number;
  readonly granted: readonly SlotClaim[];
  readonly released: readonly string[];
}

/** Changes the slots of a process; returns false if it has no row. */
export async function changeSlots(
  writer: Writer,
  processId: string,
  { places, granted, released }: PlaceChange,
): Promise<boolean> {
  const rows = granted.map(({ id, agentId, networks: [address] }) => ({ id, agent_id: agentId, address }));
  const { rows: known } = await sql`
    with known as (update event_processes set places = ${places} where id = ${processId} returning id),
    removed as (
      delete from event_places
      where id in (select id::uuid from json_array_elements_text(${JSON.stringify(released)}::json) as gone (id))
    ), added as (
      insert into event_places (id, process_id, agent_id, address)
      select id, ${processId}::uuid, agent_id, address
      from json_to_recordset(${JSON.stringify(rows)}::json) as claim (id uuid, agent_id uuid, address text)
      on conflict do nothing
    )
    select id from known`.execute(writer);
  return known.length > 0;
}

export async function renewLeaseAndSweep(
  writer: Writer,
  processId: string,
  places: number,
  lockKey: number | undefined,
): Promise<void> {
  await sql`
    with dead as (
      delete from event_processes
      where id <> ${processId} and lives_until < clock_timestamp() - make_interval(secs => ${sql.lit(sweptAfterSeconds)})
      returning id
    ), swept as (delete from event_places where process_id in (select id from dead))
    insert into event_processes (id, lives_until, lock_key, places)
    values (
      ${processId}, clock_timestamp() + make_interval(secs => ${sql.lit(leaseSeconds)}),
      (select key from (${liveProcessLocksSql}) as locked where key = ${lockKey ?? null}), ${places}
    )
    on conflict (id) do update
    set lives_until = excluded.lives_until, lock_key = excluded.lock_key, places = excluded.places`.execute(writer);
}

/** Removes a process and its slots in one statement, because a shutdown has little time to wait for a slow database. */
export const removeProcessStatement = prepareSql(
  'remove-event-process',
  sql`
    with removed as (delete from event_places where process_id = ${''}::uuid)
    delete from event_processes where id = ${''}::uuid`,
);
