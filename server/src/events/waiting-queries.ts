import type { EventKind } from '@agent-platform/contract';
import { sql } from 'kysely';
import { safeInteger } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import type { WaitingEvent } from './event-view.ts';

/** Which of an agent's waiting events to read. */
export interface WaitingRange {
  readonly agentId: string;
  /** Only numbers beyond this one. */
  readonly after: number;
  /** Not these: they are in flight. */
  readonly except: readonly number[];
  readonly limit: number;
  readonly now: Date;
}

/**
 * Reads events that wait, the oldest first. Not prepared on purpose: a plan that
 * was made while the table was empty would read a long backlog from end to end.
 */
export async function readWaiting(
  store: Store,
  { agentId, after, except, limit, now }: WaitingRange,
): Promise<readonly WaitingEvent[]> {
  const rows = await store.read((reader) =>
    reader
      .selectFrom('events')
      .where('agent_id', '=', agentId)
      .where('number', '>', after)
      .where(sql<boolean>`number <> all(${arrayText(except)}::bigint[])`)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .orderBy('agent_id')
      .orderBy('number')
      .limit(limit)
      .select(['number', 'event_id', 'kind', sql<string>`payload::text`.as('payload')])
      .execute(),
  );
  return rows.map(({ number, event_id, kind, payload }) => ({
    number: safeInteger(number),
    eventId: event_id,
    // Written by `announce` alone, from the kinds of the contract.
    kind: kind as EventKind,
    payload,
  }));
}

/** Of these events of an agent, the numbers that still wait. */
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

/** Of these agents, the ones for whom anything waits at all. */
export async function findAgentsWithMail(store: Store, agentIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await store.read((reader) =>
    reader
      .selectFrom(sql<{ id: string }>`(select unnest(${arrayText(agentIds)}::uuid[]) as id)`.as('connected'))
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('events').whereRef('events.agent_id', '=', 'connected.id').select('events.number')),
      )
      .select('connected.id')
      .execute(),
  );
  return new Set(rows.map(({ id }) => id));
}

// The two drivers send arrays in ways of their own; text is the same for both.
function arrayText(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}
