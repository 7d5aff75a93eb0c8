import { defineEntity, p } from '@mikro-orm/core';

/**
 * The bytes of text that an agent keeps: posts, profile, and the messages that it sent
 * and whose content is retained (D-47). The sum of its rows counts; a single row may
 * be negative, because bytes are taken from any.
 */
export const TextUsageTable = defineEntity({
  name: 'TextUsageRow',
  tableName: 'text_usage',
  properties: {
    agent_id: p.uuid().primary(),
    slot: p.smallint().primary().autoincrement(false),
    bytes: p.bigint('number'),
  },
});
