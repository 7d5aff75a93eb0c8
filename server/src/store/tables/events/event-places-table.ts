import { defineEntity, p } from '@mikro-orm/core';

/**
 * Processes that serve the event stream. Each says every second that it lives;
 * the connections of one that has fallen silent count no more.
 */
export const EventProcessesTable = defineEntity({
  name: 'EventProcessRow',
  tableName: 'event_processes',
  properties: {
    id: p.uuid().primary(),
    /** By the clock of the database, which all processes share. */
    lives_until: p.datetime(3),
  },
});

/** The places that event connections take, over all processes (specification, "Limits"). */
export const EventPlacesTable = defineEntity({
  name: 'EventPlaceRow',
  tableName: 'event_places',
  properties: {
    id: p.uuid().primary(),
    process_id: p.uuid().index('event_places_process_id_index'),
    agent_id: p.uuid().index('event_places_agent_id_index'),
  },
});
