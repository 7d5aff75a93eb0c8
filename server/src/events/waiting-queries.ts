import { type RawBuilder, sql } from 'kysely';
import { callerParameters, selectTokenStatusSql } from '../identity/tokens/token-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { timestampToMs, toSafeInteger } from '../store/decode.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { formatArray } from '../store/statements/parameters.ts';
import { prepareSqlText } from '../store/statements/prepared.ts';
import type { BatchedStatement, Store } from '../store/store.ts';
import type { WaitingEvent } from './event-view.ts';

interface WaitingRange {
  readonly agentId: string;
  /** Only events with a higher number are read. */
  readonly after: number;
  /** The numbers to skip, because they are in flight. */
  readonly except: readonly number[];
  /** This must be at least `firstMax` if no event is in flight. */
  readonly limit: number;
  readonly now: Date;
}

interface WaitingRow extends Omit<WaitingEvent, 'createdAtMs'> {
  readonly created_at: string | Date;
}

/** The SQL expressions that `dueText` inserts. */
type DueDependencies = Readonly<Record<'agentId' | 'after' | 'except' | 'now' | 'limit', string>>;

// Reads the oldest events first, with one index step per event. With a plain `order by … limit 64`, the planner may
// read and sort a whole backlog that has grown since the last statistics; for a single row, it always uses the index.
// Kinds and payloads are not validated, because only `announce` writes them.
function dueText({ agentId, after, except, now, limit }: DueDependencies): string {
  const next = (than: string) => `
    select number, event_id, kind, payload, created_at from events
    where agent_id = ${agentId} and number > ${than} and number <> all(${except}::bigint[])
      and (expires_at is null or expires_at > ${now})
    order by agent_id, number limit 1`;
  return `
    with recursive due as (
      (${next(after)})
      union all
      select following.* from due cross join lateral (${next('due.number')}) as following
    )
    select number, event_id, kind, payload::text as payload, created_at from due limit ${limit}`;
}

/** The number of events in a connection's first read: small for batching, but more than most agents have missed. */
const firstMax = 8;

const firstWaiting = prepareBatchedQuery<WaitingRow, 'agent_id' | 'now'>(
  'events-first',
  { agent_id: 'uuid', now: 'timestamptz' },
  (parameter) => {
    const values = { agentId: parameter('agent_id'), now: parameter('now') };
    return dueText({ ...values, after: '0', except: "'{}'", limit: String(firstMax) });
  },
  firstMax,
);

const waitingInRange = prepareSqlText<WaitingRow>(
  'events-waiting',
  dueText({ agentId: '$1::uuid', after: '$2::bigint', except: '$3', now: '$4::timestamptz', limit: '$5' }),
);

/** Waiting events, oldest first. */
interface Waiting {
  readonly events: readonly WaitingEvent[];
  /** True if no more waiting events follow. */
  readonly isEnd: boolean;
}

/** After a server restart, all agents read their first events, so these reads share statements. */
export async function readWaitingEvents(store: Store, range: WaitingRange): Promise<Waiting> {
  const { agentId, after, except, now } = range;
  const isStart = after === 0 && except.length === 0;
  const limit = isStart ? firstMax : range.limit;
  const rows = isStart
    ? await store.askAll(firstWaiting, [agentId, now])
    : await store.run(waitingInRange, [agentId, after, formatArray(except), now, limit]);
  return { events: rows.map(toEvent), isEnd: rows.length < limit };
}

function toEvent({ number, event_id, kind, payload, created_at }: WaitingRow): WaitingEvent {
  return { event_id, kind, payload, number: toSafeInteger(number), createdAtMs: timestampToMs(created_at) };
}

interface ArrivalRow {
  readonly suspended_at: string | Date | null;
  readonly expires_at: string | Date;
  readonly has_events: boolean;
}

const arrivalByToken: BatchedStatement<ArrivalRow> = prepareBatchedQuery(
  'event-arrival',
  callerParameters,
  (parameter) =>
    `select token.suspended_at, token.expires_at,
       (select number from events where events.agent_id = token.agent_id
          and (events.expires_at is null or events.expires_at > ${parameter('now')})
        order by events.agent_id, number limit 1) is not null as has_events
     from (${selectTokenStatusSql(parameter)}) token`,
);

/** Returns undefined if the token has ended. */
export async function readConnectionState(store: Store, clock: Clock, tokenHash: string) {
  const row = await store.ask(arrivalByToken, [tokenHash, clock()]);
  if (row === undefined) return undefined;
  return {
    expiresAtMs: timestampToMs(row.expires_at),
    isSuspended: row.suspended_at !== null,
    hasEvents: row.has_events,
  };
}

/** Returns the given event numbers that still wait for the agent's ack. */
export async function findWaitingEventNumbers(
  store: Store,
  agentId: string,
  numbers: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await store.read((reader) =>
    reader
      .selectFrom('events')
      .where('agent_id', '=', agentId)
      .where(sql<boolean>`number = any(${formatArray(numbers)}::bigint[])`)
      .select('number')
      .execute(),
  );
  return new Set(rows.map(({ number }) => toSafeInteger(number)));
}

export async function findAgentsWithEvents(
  store: Store,
  agentIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const { rows } = await store.read((reader) =>
    sql<{ id: string }>`
      select id from unnest(${formatArray(agentIds)}::uuid[]) as connected (id)
      cross join lateral (
        select 1 from events where agent_id = connected.id and (expires_at is null or expires_at > ${now})
        order by agent_id, number limit 1
      ) as oldest`.execute(reader),
  );
  return new Set(rows.map(({ id }) => id));
}

/** SQL for the time of these agents' oldest unacknowledged event, or null. It needs one index step per agent. */
export function oldestWaitingTimeSql(agentIds: readonly string[], now: Date): RawBuilder<string | Date | null> {
  return sql`(
    select min(oldest.created_at) from unnest(${formatArray(agentIds)}::uuid[]) as connected (id)
    cross join lateral (
      select created_at from events where agent_id = connected.id and (expires_at is null or expires_at > ${now})
      order by agent_id, number limit 1
    ) as oldest)`;
}
