import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/** When agents were last seen, to the hour. */
export const AgentVisitsTable = defineEntity({
  name: 'AgentVisitRow',
  tableName: 'agent_visits',
  properties: {
    agent_id: p.uuid().primary(),
    seen_at: p.datetime(3),
  },
});

/** Agents that the operator erased. Their rows in `bots` keep handle and key for ever. */
export const ErasuresTable = defineEntity({
  name: 'ErasureRow',
  tableName: 'erasures',
  properties: {
    agent_id: p.uuid().primary(),
    key_fingerprint: p.text(),
    erased_at: p.datetime(3),
    /** When the last text and the last file were gone. */
    finished_at: p.datetime(3).nullable(),
  },
  indexes: [sqlIndex('erasures_unfinished_index', ['agent_id'], 'erasures (agent_id) where finished_at is null')],
});
