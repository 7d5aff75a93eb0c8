import { defineEntity, p, raw } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/**
 * The searchable texts: one row per profile and per public work, with its folded text. A profile's row has the id of
 * its agent. The search checks whether an agent is listed, so closing a profile changes no rows here.
 */
export const SearchTextsTable = defineEntity({
  name: 'SearchTextRow',
  tableName: 'search_texts',
  properties: {
    document_id: p.uuid().primary(),
    bot_id: p.uuid(),
    /** The folded specialty; null for a work. */
    specialty: p.text().nullable(),
    text: p.text(),
    grams: p.array((item) => Number(item)).columnType('int[]'),
    /** Grams that occur in few texts: around a space, or of a profile's specialty; `{0}` if not recorded. */
    rare_grams: p
      .array((item) => Number(item))
      .columnType('int[]')
      .default(raw(`'{0}'`)),
  },
  indexes: [
    { name: 'search_texts_bot_id_index', properties: ['bot_id'] },
    // New rows wait in a list of 512 KiB, which every search reads, and are added to the index together; added one by
    // one, they would write twice as much to the log.
    sqlIndex(
      'search_texts_all_grams_index',
      ['grams', 'rare_grams'],
      'search_texts using gin (grams, rare_grams) with (fastupdate = on, gin_pending_list_limit = 512)',
    ),
  ],
});
