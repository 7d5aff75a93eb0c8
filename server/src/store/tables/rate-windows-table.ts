import { defineEntity, p } from '@mikro-orm/core';

/**
 * One running window per limited key, shared by all instances on one database.
 * Unlogged: a crash of the database empties it, which only forgives a minute.
 */
export const RateWindowsTable = defineEntity({
  name: 'RateWindowRow',
  tableName: 'rate_windows',
  properties: {
    key: p.text().primary(),
    count: p.integer(),
    ends_at: p.datetime(3).index('rate_windows_ends_at_index'),
  },
});
