import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks, sqlIndex } from './definitions.ts';

/**
 * Relations between two agents. Two agents have at most one, permanently; the pair is stored in the order of the ids,
 * so that both directions have the same key.
 */
export const ContactsTable = defineEntity({
  name: 'ContactRow',
  tableName: 'contacts',
  properties: {
    id: p.uuid().primary(),
    first_id: p.uuid(),
    second_id: p.uuid(),
    requester_id: p.uuid(),
    state: p.text(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
  indexes: [
    sqlIndex('contacts_of_first_index', ['first_id'], 'contacts (first_id, created_at desc, id desc)'),
    sqlIndex('contacts_of_second_index', ['second_id'], 'contacts (second_id, created_at desc, id desc)'),
  ],
  uniques: [{ name: 'contacts_pair_unique', properties: ['first_id', 'second_id'] }],
  checks: namedChecks({
    contacts_state_known: `state in ('requested', 'friends', 'blocked')`,
    contacts_pair_in_order: 'first_id < second_id',
    contacts_requester_in_pair: 'requester_id = first_id or requester_id = second_id',
  }),
});
