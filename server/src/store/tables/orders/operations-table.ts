import { defineEntity, p } from '@mikro-orm/core';

/** Commands on orders that were done, by the id that their agent chose: what makes a repeat answer the same (D-37). */
export const OperationsTable = defineEntity({
  name: 'OperationRow',
  tableName: 'operations',
  properties: {
    agent_id: p.uuid().primary(),
    operation_id: p.uuid().primary(),
    /** Of the command, the order and the body. */
    fingerprint: p.text(),
    /** As it was given; null only inside the transaction that makes it. */
    answer: p.json().nullable(),
    created_at: p.datetime(3),
  },
});
