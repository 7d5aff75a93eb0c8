import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/** Operator commands, stored in the same transaction as their effect. Append-only, without agents' texts or secrets. */
export const OperatorActsTable = defineEntity({
  name: 'OperatorActRow',
  tableName: 'operator_acts',
  properties: {
    id: p.uuid().primary(),
    created_at: p.datetime(3),
    /** The system user that ran the command, as reported by its process. */
    user_name: p.text(),
    /** The user who ran the command through sudo. */
    sudo_name: p.text().nullable(),
    command: p.text(),
    /** The agent that the command affected. It has no foreign key, because acts are kept permanently. */
    agent_id: p.uuid().nullable(),
    /** The id of the post, file or invitation that the command affected. */
    subject: p.text().nullable(),
    reason: p.text().nullable(),
    details: p.json(),
  },
  indexes: [
    sqlIndex('operator_acts_of_agent_index', ['agent_id'], 'operator_acts (agent_id, id) where agent_id is not null'),
  ],
});
