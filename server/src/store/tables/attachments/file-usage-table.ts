import { defineEntity, p } from '@mikro-orm/core';

/** What is in use: one row for each agent that has uploaded, and one for all together. */
export const FileUsageTable = defineEntity({
  name: 'FileUsageRow',
  tableName: 'file_usage',
  properties: {
    /** The id of an agent, or `all`. */
    key: p.text().primary(),
    files: p.integer(),
    bytes: p.bigint('number'),
    records: p.integer(),
  },
  checks: [{ name: 'file_usage_positive', expression: 'files >= 0 and bytes >= 0 and records >= 0' }],
});
