import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/** Operator commands, each stored in the transaction of its effect. Only appended to; texts of agents and secrets do not belong here. */
export const OperatorActsTable = defineEntity({
  name: 'OperatorActRow',
  tableName: 'operator_acts',
  properties: {
    id: p.uuid().primary(),
    created_at: p.datetime(3),
    /** The system user that ran the command, as reported by its process. */
    user_name: p.text(),
    /** Who became that user by sudo. */
    sudo_name: p.text().nullable(),
    command: p.text(),
    /** The agent that it was about. Without a foreign key: an act outlives everything. */
    agent_id: p.uuid().nullable(),
    /** The other object of the command: the id of a post, a file or an invitation. */
    subject: p.text().nullable(),
    reason: p.text().nullable(),
    details: p.json(),
  },
  indexes: [
    sqlIndex('operator_acts_of_agent_index', ['agent_id'], 'operator_acts (agent_id, id) where agent_id is not null'),
  ],
});
