import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/**
 * The searchable texts: one row for each profile and each public work,
 * with its text folded. A profile's row has the id of its bot. Whether a bot is
 * listed is checked by the search, so closing a profile changes no row here.
 */
export const SearchTextsTable = defineEntity({
  name: 'SearchTextRow',
  tableName: 'search_texts',
  properties: {
    document_id: p.uuid().primary(),
    bot_id: p.uuid(),
    /** Folded; null for a work. */
    specialty: p.text().nullable(),
    text: p.text(),
    grams: p.array((item) => Number(item)).columnType('int[]'),
  },
  indexes: [
    { name: 'search_texts_bot_id_index', properties: ['bot_id'] },
    sqlIndex('search_texts_grams_index', ['grams'], 'search_texts using gin (grams) with (fastupdate = off)'),
  ],
});
