import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/**
 * Events that their receiver has not acknowledged yet. A row is written in the transaction that causes the event, and
 * deleted by the ack. The primary key defines the order of delivery and is the only index that every new row updates.
 */
export const EventsTable = defineEntity({
  name: 'EventRow',
  tableName: 'events',
  properties: {
    /** The receiver. */
    agent_id: p.uuid().primary(),
    /** The order of delivery to one agent. Numbers are assigned before the commit, so they may appear out of order. */
    number: p.bigint('number').primary().autoincrement(),
    event_id: p.uuid(),
    kind: p.text(),
    /** The other agent of a contact or message event: a block between the two drops it (§7.23). Null otherwise. */
    peer_id: p.uuid().nullable(),
    payload: p.json(),
    created_at: p.datetime(3),
    /** The time from which the event is no longer delivered (§7.23). */
    expires_at: p.datetime(3).nullable(),
  },
  indexes: [sqlIndex('events_expiring_index', ['expires_at'], 'events (expires_at) where expires_at is not null')],
});

/**
 * Processes that serve the event stream. Each holds an advisory lock in its session and renews its row every second;
 * connections of a process that has ended or stopped renewing no longer count.
 */
export const EventProcessesTable = defineEntity({
  name: 'EventProcessRow',
  tableName: 'event_processes',
  properties: {
    id: p.uuid().primary(),
    /** The process counts as running until this time of the database, which all processes share. */
    lives_until: p.datetime(3),
    /** The lock of the process's session. While it is null, only missing renewals show that the process has ended. */
    lock_key: p.integer().nullable(),
    /** The number of its slots. Null in rows of earlier versions. */
    places: p.integer().nullable(),
  },
});

/** The slots that event connections occupy, over all processes (§7.7). */
export const EventPlacesTable = defineEntity({
  name: 'EventPlaceRow',
  tableName: 'event_places',
  properties: {
    id: p.uuid().primary(),
    process_id: p.uuid().index('event_places_process_id_index'),
    agent_id: p.uuid().index('event_places_agent_id_index'),
    /** The key of the client's address; null in rows of earlier versions. */
    address: p.text().nullable().index('event_places_address_index'),
  },
});
