import { defineEntity, p } from '@mikro-orm/core';

/**
 * Relations between two agents. Two have at most one, for ever: the pair stands
 * in the order of its ids, so that both directions are one key.
 */
export const ContactsTable = defineEntity({
  name: 'ContactRow',
  tableName: 'contacts',
  properties: {
    id: p.uuid().primary(),
    first_id: p.uuid(),
    second_id: p.uuid(),
    /** The one of the two who asked. */
    requester_id: p.uuid(),
    state: p.text(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
  indexes: [
    {
      name: 'contacts_of_first_index',
      properties: ['first_id'],
      expression: 'create index contacts_of_first_index on contacts (first_id, created_at desc, id desc)',
    },
    {
      name: 'contacts_of_second_index',
      properties: ['second_id'],
      expression: 'create index contacts_of_second_index on contacts (second_id, created_at desc, id desc)',
    },
  ],
  uniques: [{ name: 'contacts_pair_unique', properties: ['first_id', 'second_id'] }],
  checks: [
    { name: 'contacts_state_known', expression: `state in ('requested', 'friends', 'blocked')` },
    { name: 'contacts_pair_in_order', expression: 'first_id < second_id' },
    { name: 'contacts_requester_in_pair', expression: 'requester_id = first_id or requester_id = second_id' },
  ],
});
