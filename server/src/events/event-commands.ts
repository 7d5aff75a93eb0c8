import type { EventKind, EventPayload } from '@agent-platform/contract';
import { sql } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/crypto.ts';
import { errorCodeOf } from '../platform/error-facts.ts';
import { toSafeInteger } from '../store/decode.ts';
import { scheduleAfterCommit } from '../store/statements/after-commit.ts';
import { formatArray, makeObjectWriter, placeholdersOf } from '../store/statements/parameters.ts';
import { prepareSqlText, runPreparedStatement } from '../store/statements/prepared.ts';
import type { Store, Writer } from '../store/store.ts';
import type { WaitingEvent } from './event-view.ts';

type Announcement = {
  [K in EventKind]: {
    readonly receiverId: string;
    readonly kind: K;
    readonly payload: EventPayload<K>;
    /** The other agent of a contact or message event, so that a block can drop it (§7.23); null for order events. */
    readonly peerId: string | null;
    /** The time when the content expires and delivery ends (§7.23); null if it never expires. */
    readonly expiresAt: Date | null;
  };
}[EventKind];

/** Writes events in the transaction that causes them, and wakes the receivers after the commit. */
export type EventAnnouncer = (writer: Writer, announcements: readonly Announcement[]) => Promise<void>;

export interface AnnouncedEvent extends WaitingEvent {
  readonly receiverId: string;
}

/** Sends a wake-up that delivers an event on every instance. If it is lost, the event is only delayed. */
type Wake = (announced: AnnouncedEvent) => void;

/** An event that is written by the same statement as its cause. */
export interface DraftedEvent {
  /** The values of `eventParameters`, in the same order. */
  readonly values: readonly unknown[];
  /** Wakes the receiver. Call this after the commit, with the number of the event. */
  committed(number: string | number): void;
}

/** The statement that causes the event must also write it. */
export type EventDrafter = (announcement: Announcement) => DraftedEvent;

export function makeAnnouncer(
  clock: Clock,
  wake: Wake,
): { readonly announce: EventAnnouncer; readonly draftEvent: EventDrafter } {
  const draftEvent: EventDrafter = ({ receiverId, kind, payload, peerId, expiresAt }) => {
    const createdAt = clock();
    const createdAtMs = createdAt.getTime();
    const event = { receiverId, event_id: newId(), kind, payload: JSON.stringify(payload), createdAtMs };
    return {
      values: [receiverId, event.event_id, kind, peerId, event.payload, createdAt, expiresAt],
      committed: (number) => wake({ ...event, number: toSafeInteger(number) }),
    };
  };
  const announce: EventAnnouncer = async (writer, announcements) => {
    if (announcements.length > fewEvents) return await announceMany(writer, announcements.map(draftEvent));
    // A few events, usually one or two, are written one by one with a prepared statement.
    for (const { values, committed } of announcements.map(draftEvent)) {
      const [row] = await runPreparedStatement(writer, insertEvent, values);
      if (row === undefined) throw new Error('The database returned no number for an event.');
      scheduleAfterCommit(writer, () => committed(row.number));
    }
  };
  return { announce, draftEvent };
}

const fewEvents = 10;

async function announceMany(writer: Writer, drafts: readonly DraftedEvent[]): Promise<void> {
  const inserted = await runPreparedStatement(writer, insertEvents, [formatEventsJson(drafts)]);
  const numbers = new Map(inserted.map(({ event_id, number }) => [event_id, number]));
  scheduleAfterCommit(writer, () => wakeReceivers(drafts, (id) => numbers.get(id)));
}

export function wakeReceivers(
  drafts: readonly DraftedEvent[],
  numberOf: (eventId: string) => string | number | undefined,
): void {
  for (const { values, committed } of drafts) {
    const number = numberOf(String(values[1]));
    if (number === undefined) throw new Error('The database returned no number for an event.');
    committed(number);
  }
}

/** The statement parameters of an event, in order. */
export const eventParameters = {
  receiver_id: 'uuid',
  event_id: 'uuid',
  kind: 'text',
  peer_id: 'uuid',
  payload: 'json',
  announced_at: 'timestamptz',
  delivered_until: 'timestamptz',
} as const;

/**
 * The SQL that writes one event and returns its `number`. The event's values are the statement parameters from number
 * `first` on. `cause` names another part of the statement; with it, one event is written for each row of that part. If
 * `condition` is false, the whole statement fails with an error that `isEventRefused` recognizes.
 */
export function insertEventSql(first: number, cause?: string, condition?: string): string {
  return `${insertEventsText(placeholdersOf(eventParameters, first), condition)}${cause === undefined ? '' : ` from ${cause}`}
   returning number`;
}

/** The SQL that writes one event per row of `calls`, in call order. `condition` works as in `insertEventSql`. */
export function insertEventsOfCallsSql(calls: string, condition: string): string {
  return `${insertEventsText(Object.keys(eventParameters), condition)} from ${calls} order by call_number
   returning event_id, number`;
}

function insertEventsText(values: readonly string[], condition: string | undefined): string {
  const id = condition === undefined ? `${values[1]}` : `case when ${condition} then ${values[1]} end`;
  return `insert into events (agent_id, event_id, kind, peer_id, payload, created_at, expires_at)
   select ${values.with(1, id).join(', ')}`;
}

export function formatEventsJson(drafts: readonly DraftedEvent[]): string {
  return `[${drafts.map(({ values }) => writeEvent(values)).join()}]`;
}

const writeEvent = makeObjectWriter(eventParameters);

const eventRecord = Object.entries(eventParameters)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/**
 * The SQL that writes the events in the JSON column `events` of each row of `cause`, and returns `event_id` and
 * `number`. `condition` works as in `insertEventSql`.
 */
export function insertEventsOfJsonSql(cause: string, condition?: string): string {
  return `${insertEventsText(Object.keys(eventParameters), condition)}
   from ${cause} cross join lateral json_to_recordset(${cause}.events) as event (${eventRecord})
   returning event_id, number`;
}

/** Whether a statement failed because the condition of its event was false, which makes `event_id` null. */
export function isEventRefused(error: unknown): boolean {
  return errorCodeOf(error) === '23502' && error instanceof Error && Reflect.get(error, 'column') === 'event_id';
}

const insertEvent = prepareSqlText<{ number: string | number }>('insert-event', insertEventSql(1));

const insertEvents = prepareSqlText<{ event_id: string; number: string | number }>(
  'insert-events',
  `with cause as (select $1::json as events) ${insertEventsOfJsonSql('cause')}`,
);

const deleteEvents = prepareSqlText<never>(
  'settle-events',
  'delete from events where agent_id = $1 and number = any($2::bigint[])',
);

export async function settleEvents(store: Store, agentId: string, numbers: readonly number[]): Promise<void> {
  await store.transact((writer) => runPreparedStatement(writer, deleteEvents, [agentId, formatArray(numbers)]));
}

/**
 * Drops all unacknowledged personal events between two agents, in both directions (§7.23); order events stay. A block
 * calls this before it is announced.
 */
export async function dropPersonalEvents(writer: Writer, oneId: string, otherId: string): Promise<void> {
  await sql`delete from events where agent_id = ${oneId} and peer_id = ${otherId}
            or agent_id = ${otherId} and peer_id = ${oneId}`.execute(writer);
}

/** Drops all events for an erased agent, and the personal events that it caused for its former contacts. */
export async function dropEventsOfErasedAgent(
  writer: Writer,
  agentId: string,
  peerIds: readonly string[],
): Promise<void> {
  await sql`delete from events where agent_id = ${agentId}`.execute(writer);
  await sql`delete from events where agent_id = any(${formatArray(peerIds)}::uuid[]) and peer_id = ${agentId}`.execute(
    writer,
  );
}

export async function dropExpiredEvents(writer: Writer, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from events where (agent_id, number) in (
      select agent_id, number from events where expires_at <= ${now} limit ${limit}
    ) returning 1`.execute(writer);
  return rows.length;
}
