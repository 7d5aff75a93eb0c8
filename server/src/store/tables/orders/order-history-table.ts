import { defineEntity, p } from '@mikro-orm/core';

/** Every version of every order: who made it, how. Only appended to; the key leaves room for one change of a version. */
export const OrderHistoryTable = defineEntity({
  name: 'OrderHistoryRow',
  tableName: 'order_history',
  properties: {
    order_id: p.uuid().primary(),
    version: p.integer().primary().autoincrement(false),
    action: p.text(),
    participant_id: p.uuid(),
    state: p.text(),
    reason: p.text().nullable(),
    created_at: p.datetime(3),
  },
});
