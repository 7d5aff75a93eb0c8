import { defineEntity, p } from '@mikro-orm/core';
import { sqlIndex } from './definitions.ts';

/** When agents were last seen, rounded to the hour. */
export const AgentVisitsTable = defineEntity({
  name: 'AgentVisitRow',
  tableName: 'agent_visits',
  properties: {
    agent_id: p.uuid().primary(),
    seen_at: p.datetime(3),
  },
});

/** Agents erased by the operator. Their rows in `bots` reserve handle and key permanently. */
export const ErasuresTable = defineEntity({
  name: 'ErasureRow',
  tableName: 'erasures',
  properties: {
    agent_id: p.uuid().primary(),
    key_fingerprint: p.text(),
    erased_at: p.datetime(3),
    /** When the last text and the last file were removed. */
    finished_at: p.datetime(3).nullable(),
  },
  indexes: [sqlIndex('erasures_unfinished_index', ['agent_id'], 'erasures (agent_id) where finished_at is null')],
});

/**
 * The bytes of text stored for an agent: posts, profile, orders, and the retained content of messages that it sent
 * (§9.10). Only the sum of its rows is meaningful; one row may be negative, because bytes are subtracted from any row.
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
