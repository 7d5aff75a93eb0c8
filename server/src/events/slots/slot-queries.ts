import { sql } from 'kysely';
import { networkKeysOf } from '../../platform/http/address.ts';
import { toSafeInteger } from '../../store/decode.ts';
import { eventProcessLockClass } from '../../store/postgres/advisory-locks.ts';
import { prepareSql } from '../../store/statements/prepared.ts';
import type { Reader } from '../../store/store.ts';
import { getNetworkLimit, type SlotClaim, type SlotLimits, type UsedSlots } from './connection-slots.ts';

export const liveProcessLocksSql = sql<{ key: number }>`
  select objid::bigint as key from pg_locks
  where locktype = 'advisory' and classid = ${sql.lit(eventProcessLockClass)} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`;

const livingOthers = (processId: string) => sql<{ id: string; places: number | null }>`
  select id, places from event_processes
  where id <> ${processId} and lives_until > clock_timestamp() and (lock_key is null or lock_key in (${liveProcessLocksSql}))`;

/**
 * Counts the slots of other processes that matter for the limits of these claims. A process without a lock has lost its
 * session or runs an earlier version, so it counts until its lease expires. Earlier versions store no total.
 */
export async function countOtherSlots(
  reader: Reader,
  processId: string,
  claims: readonly SlotClaim[],
  limits: SlotLimits,
): Promise<UsedSlots> {
  const agentIds = limits.perAgent === 0 ? [] : [...new Set(claims.map(({ agentId }) => agentId))];
  const keysOf = (first: number, end?: number) =>
    claims.flatMap(({ networks }) =>
      networks.slice(first, end).filter((_, index) => getNetworkLimit(limits, first + index) !== undefined),
    );
  const [addresses, wide] = [keysOf(0, 1), keysOf(1)];
  const { rows } = await sql<{ scope: 'all' | 'agent' | 'network'; name: string; used: string | number }>`
    with living as materialized (${livingOthers(processId)})
    select 'all' as scope, '' as name, sum(
      coalesce(places, (select count(*) from event_places where process_id = living.id))
    )::bigint as used from living having count(*) > 0
    union all
    select 'agent', agent_id::text, count(*) from event_places
    where exists (select from living) and agent_id = any(${agentIds}::uuid[]) and process_id in (select id from living)
    group by agent_id
    union all
    select 'network', address, count(*) from event_places
    where exists (select from living) and address = any(${addresses}::text[]) and process_id in (select id from living)
    group by address
    union all
    select 'network', name, count(*) from event_places
    cross join lateral (values (56), (48)) as width (bits)
    join (select distinct name from unnest(${wide}::text[]) as network (name)) as network
      on network.name::cidr = case when address like '%/64' then set_masklen(address::cidr, bits) end
    where exists (select from living) and process_id in (select id from living)
    group by name`.execute(reader);
  const countsOf = (scope: string) =>
    new Map(rows.filter((row) => row.scope === scope).map(({ name, used }) => [name, toSafeInteger(used)]));
  return { inAll: countsOf('all').get('') ?? 0, byAgent: countsOf('agent'), byNetwork: countsOf('network') };
}

export async function readOtherSlots(reader: Reader, processId: string): Promise<readonly SlotClaim[]> {
  const { rows } = await sql<{ id: string; agent_id: string; address: string }>`
    select id, agent_id, address from event_places
    where address is not null and process_id in (select id from (${livingOthers(processId)}) as living)`.execute(
    reader,
  );
  return rows.map(({ id, agent_id, address }) => ({ id, agentId: agent_id, networks: networkKeysOf(address) }));
}

/** Returns the ids of a process's slots that are still in the database, or undefined if none is missing. */
export async function findSurvivingSlots(
  reader: Reader,
  processId: string,
  expected: number,
): Promise<ReadonlySet<string> | undefined> {
  const own = reader.selectFrom('event_places').where('process_id', '=', processId);
  const { found } = await own.select((row) => row.fn.countAll().as('found')).executeTakeFirstOrThrow();
  if (toSafeInteger(found) >= expected) return undefined;
  return new Set((await own.select('id').execute()).map(({ id }) => id));
}

const isLocked = `select exists (${prepareSql('process-locks', liveProcessLocksSql).text}) as is_locked,
  to_regclass('event_processes') is not null as has_leases`;

/**
 * Whether a server uses this PostgreSQL database. The session of each server holds a lock. If a pooler loses the lock,
 * or the session is broken, the lease for the server's event connections shows that it runs.
 */
export async function isDatabaseUsedByServer(query: <Row>(text: string) => Promise<readonly Row[]>): Promise<boolean> {
  const [found] = await query<{ is_locked: boolean; has_leases: boolean }>(isLocked);
  if (found?.has_leases !== true) return found?.is_locked === true;
  const leases = await query('select 1 from event_processes where lives_until > clock_timestamp() limit 1');
  return found.is_locked || leases.length > 0;
}
