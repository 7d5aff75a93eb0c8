import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/**
 * Events that their receiver has not acknowledged yet. A row is
 * written in the transaction that causes the event and deleted by the ack.
 * Its key is the order of delivery, and the one index that a row costs.
 */
export const EventsTable = defineEntity({
  name: 'EventRow',
  tableName: 'events',
  properties: {
    /** The receiver. */
    agent_id: p.uuid().primary(),
    /** The order of delivery to one agent. Numbers are given before the commit, so they may become visible out of order. */
    number: p.bigint('number').primary().autoincrement(),
    event_id: p.uuid(),
    kind: p.text(),
    /** The other agent of a contact or message event: what a block between the two drops (§7.23). Null for orders. */
    peer_id: p.uuid().nullable(),
    payload: p.json(),
    created_at: p.datetime(3),
    /** From then on it is not delivered (§7.23). */
    expires_at: p.datetime(3).nullable(),
  },
  indexes: [sqlIndex('events_expiring_index', ['expires_at'], 'events (expires_at) where expires_at is not null')],
});

/**
 * Processes that serve the event stream. Each holds an advisory lock on its
 * session and says every second that it lives; the connections of one that has
 * ended or fallen silent count no more.
 */
export const EventProcessesTable = defineEntity({
  name: 'EventProcessRow',
  tableName: 'event_processes',
  properties: {
    id: p.uuid().primary(),
    /** By the clock of the database, which all processes share. */
    lives_until: p.datetime(3),
    /** The lock of its session. Null while it has none: its silence alone tells that it has ended. */
    lock_key: p.integer().nullable(),
    /** The number of its places. Null in rows of earlier versions. */
    places: p.integer().nullable(),
  },
});

/** The places that event connections take, over all processes (§7.7). */
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
