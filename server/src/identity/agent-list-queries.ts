import { type RawBuilder, sql } from 'kysely';
import { day } from '../platform/clock.ts';
import { formatTimestampOrNull, toSafeInteger } from '../store/decode.ts';
import type { Reader, Store } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { loadAgent } from './agent-queries.ts';
import { agentColumns } from './listing-queries.ts';

export interface AgentFilter {
  /** True selects suspended agents that are not erased; false selects all others. */
  readonly isSuspended?: boolean | undefined;
  readonly isErased?: boolean | undefined;
  readonly isDemo?: boolean | undefined;
  /** Selects agents that have not been seen for at least this many days. */
  readonly idleDays?: number | undefined;
  /** The minimum size of files and texts together. */
  readonly minBytes?: number | undefined;
  /** The handle or id of the last agent of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface AgentUsage {
  readonly files: number;
  readonly file_bytes: number;
  readonly uploads: number;
  readonly text_bytes: number;
  /** The time is exact to the hour, and null if the agent has not been seen since recording began. */
  readonly last_seen_at: string | null;
  readonly erased_at: string | null;
}

interface StoredUsage {
  readonly files: number;
  readonly file_bytes: number | string;
  readonly uploads: number;
  readonly text_bytes: number | string;
  readonly seen_at: Date | string | null;
  readonly erased_at: Date | string | null;
}

/** The maximum number of agents that one statement examines, so that it takes only a fraction of a second. */
const scannedMax = 20_000;

// The sum is a lateral sub-select, so that it is computed for one agent at a time, not for the whole table.
const withUsage = sql`
  from bots
  left join agent_visits visit on visit.agent_id = bots.id
  left join file_usage stored on stored.key = bots.id::text
  left join erasures on erasures.agent_id = bots.id
  cross join lateral (
    select coalesce(sum(bytes), 0)::bigint as bytes from text_usage where text_usage.agent_id = bots.id
  ) texts`;

const usageColumns = sql`
  coalesce(stored.files, 0) as files, coalesce(stored.bytes, 0) as file_bytes, coalesce(stored.records, 0) as uploads,
  texts.bytes as text_bytes, visit.seen_at, erasures.erased_at`;

/**
 * Lists the newest agents first. If there are many agents and few of them match, runs several statements, each far
 * below the statement timeout.
 */
export async function listAgents(store: Store, filter: AgentFilter, now: Date) {
  const { limit, after: afterName } = filter;
  const conditions = sql.join(conditionsOf(filter, now), sql` and `);
  const agents: (Agent & { readonly usage: AgentUsage })[] = [];
  let after = afterName === undefined ? undefined : (await store.read((reader) => loadAgent(reader, afterName))).id;
  for (;;) {
    const part = await store.read((reader) => readPart(reader, conditions, after, limit + 1 - agents.length));
    agents.push(...part.agents);
    after = part.last;
    if (agents.length > limit || after === undefined) break;
  }
  return { agents: agents.slice(0, limit), hasMore: agents.length > limit };
}

// Ids are ordered by time (§1.23), so the primary key gives the order of registration.
async function readPart(reader: Reader, conditions: RawBuilder<unknown>, after: string | undefined, limit: number) {
  const isAfter = after === undefined ? sql`true` : sql`bots.id < ${after}`;
  const end = await sql<{ id: string }>`
    select id from bots where ${isAfter} order by id desc offset ${scannedMax - 1} limit 1`.execute(reader);
  const last = end.rows[0]?.id;
  const { rows } = await sql<Agent & StoredUsage>`
    select ${agentColumns('bots')}, ${usageColumns} ${withUsage}
    where ${isAfter} and ${last === undefined ? sql`true` : sql`bots.id >= ${last}`} and ${conditions}
    order by bots.id desc limit ${limit}`.execute(reader);
  return { agents: rows.map((row) => ({ ...row, usage: decode(row) })), last };
}

function conditionsOf({ isSuspended, isErased, isDemo, idleDays, minBytes }: AgentFilter, now: Date) {
  const lastSeen = sql`coalesce(visit.seen_at, greatest(bots.created_at,
    (select value::timestamptz from platform_facts where name = 'visits_since')))`;
  return [
    sql`true`,
    ...(isSuspended === undefined
      ? []
      : [sql`(bots.suspended_at is not null and erasures.agent_id is null) = ${isSuspended}`]),
    ...(isErased === undefined ? [] : [sql`(erasures.agent_id is not null) = ${isErased}`]),
    ...(isDemo === undefined ? [] : [sql`bots.is_demo = ${isDemo}`]),
    ...(idleDays === undefined ? [] : [sql`${lastSeen} <= ${new Date(now.getTime() - idleDays * day)}`]),
    ...(minBytes === undefined ? [] : [sql`coalesce(stored.bytes, 0) + texts.bytes >= ${minBytes}`]),
  ];
}

export async function readAgentUsage(reader: Reader, agentId: string): Promise<AgentUsage> {
  const { rows } = await sql<StoredUsage>`select ${usageColumns} ${withUsage} where bots.id = ${agentId}`.execute(
    reader,
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`The agent ${agentId} has no usage record.`);
  return decode(row);
}

function decode({ files, file_bytes, uploads, text_bytes, seen_at, erased_at }: StoredUsage): AgentUsage {
  return {
    files,
    file_bytes: toSafeInteger(file_bytes),
    uploads,
    text_bytes: toSafeInteger(text_bytes),
    last_seen_at: formatTimestampOrNull(seen_at),
    erased_at: formatTimestampOrNull(erased_at),
  };
}
