import { type RawBuilder, sql } from 'kysely';
import { callerParameters, statusOfTokenText } from '../identity/tokens/token-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { milliseconds, safeInteger } from '../store/decode.ts';
import { prepareBatched } from '../store/statements/batched-statement.ts';
import { arrayText } from '../store/statements/parameters.ts';
import { prepareText } from '../store/statements/prepared.ts';
import type { BatchedStatement, Store } from '../store/store.ts';
import type { WaitingEvent } from './event-view.ts';

/** A part of the waiting events of an agent. */
interface WaitingRange {
  readonly agentId: string;
  /** Only numbers after this one. */
  readonly after: number;
  /** Excluded, because in flight. */
  readonly except: readonly number[];
  /** At least `firstMax` where none is in flight. */
  readonly limit: number;
  readonly now: Date;
}

interface WaitingRow extends Omit<WaitingEvent, 'createdAtMs'> {
  readonly created_at: string | Date;
}

/** The values of the query of waiting events, as text of SQL. */
type DueParts = Readonly<Record<'agentId' | 'after' | 'except' | 'now' | 'limit', string>>;

// Oldest first, one step along the key for each. Without statistics of a backlog that has just grown, a plain `order
// by … limit 64` may be planned as a read and sort of the whole backlog; for one row at a time the index scan is always
// the cheapest plan. Kind and payload are written by `announce` alone, from the kinds of the contract.
function dueText({ agentId, after, except, now, limit }: DueParts): string {
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

/** So few that a batch of them stays small, and more than most agents have missed. */
const firstMax = 8;

const firstWaiting = prepareBatched<WaitingRow, 'agent_id' | 'now'>(
  'events-first',
  { agent_id: 'uuid', now: 'timestamptz' },
  (parameter) => {
    const values = { agentId: parameter('agent_id'), now: parameter('now') };
    return dueText({ ...values, after: '0', except: "'{}'", limit: String(firstMax) });
  },
  firstMax,
);

const waitingInRange = prepareText<WaitingRow>(
  'events-waiting',
  dueText({ agentId: '$1::uuid', after: '$2::bigint', except: '$3', now: '$4::timestamptz', limit: '$5' }),
);

/** Waiting events, oldest first. */
interface Waiting {
  readonly events: readonly WaitingEvent[];
  /** There are no others after them. */
  readonly isEnd: boolean;
}

/**
 * Reads waiting events. After a restart of the server all agents request their first events at the same time; those
 * requests share statements.
 */
export async function readWaiting(store: Store, range: WaitingRange): Promise<Waiting> {
  const { agentId, after, except, now } = range;
  const isStart = after === 0 && except.length === 0;
  const limit = isStart ? firstMax : range.limit;
  const rows = isStart
    ? await store.askAll(firstWaiting, [agentId, now])
    : await store.run(waitingInRange, [agentId, after, arrayText(except), now, limit]);
  return { events: rows.map(toEvent), isEnd: rows.length < limit };
}

function toEvent({ number, event_id, kind, payload, created_at }: WaitingRow): WaitingEvent {
  return { event_id, kind, payload, number: safeInteger(number), createdAtMs: milliseconds(created_at) };
}

interface ArrivalRow {
  readonly suspended_at: string | Date | null;
  readonly expires_at: string | Date;
  readonly has_events: boolean;
}

const arrivalByToken: BatchedStatement<ArrivalRow> = prepareBatched(
  'event-arrival',
  callerParameters,
  (parameter) =>
    `select token.suspended_at, token.expires_at,
       (select number from events where events.agent_id = token.agent_id
          and (events.expires_at is null or events.expires_at > ${parameter('now')})
        order by events.agent_id, number limit 1) is not null as has_events
     from (${statusOfTokenText(parameter)}) token`,
);

/**
 * The state of the token of a new connection, and whether events may be waiting for its agent; undefined if the token
 * has ended.
 */
export async function readConnectionState(store: Store, clock: Clock, tokenHash: string) {
  const row = await store.ask(arrivalByToken, [tokenHash, clock()]);
  if (row === undefined) return undefined;
  return {
    expiresAtMs: milliseconds(row.expires_at),
    isSuspended: row.suspended_at !== null,
    hasEvents: row.has_events,
  };
}

/** The numbers among these events of an agent that still wait. */
export async function findStillWaiting(
  store: Store,
  agentId: string,
  numbers: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await store.read((reader) =>
    reader
      .selectFrom('events')
      .where('agent_id', '=', agentId)
      .where(sql<boolean>`number = any(${arrayText(numbers)}::bigint[])`)
      .select('number')
      .execute(),
  );
  return new Set(rows.map(({ number }) => safeInteger(number)));
}

/** The agents among these that have waiting events. */
export async function findAgentsWithEvents(
  store: Store,
  agentIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const { rows } = await store.read((reader) =>
    sql<{ id: string }>`
      select id from unnest(${arrayText(agentIds)}::uuid[]) as connected (id)
      cross join lateral (
        select 1 from events where agent_id = connected.id and (expires_at is null or expires_at > ${now})
        order by agent_id, number limit 1
      ) as oldest`.execute(reader),
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * When the oldest event was written that one of these agents has not acknowledged; null when there is none. One
 * step on the key for each agent.
 */
export function oldestWaitingSql(agentIds: readonly string[], now: Date): RawBuilder<string | Date | null> {
  return sql`(
    select min(oldest.created_at) from unnest(${arrayText(agentIds)}::uuid[]) as connected (id)
    cross join lateral (
      select created_at from events where agent_id = connected.id and (expires_at is null or expires_at > ${now})
      order by agent_id, number limit 1
    ) as oldest)`;
}
