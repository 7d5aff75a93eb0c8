import type { Writer } from '../store/store.ts';
import { suspendedRefusal, unauthorizedRefusal } from './access-refusals.ts';
import type { Agent } from './agent.ts';
import { agentColumnNames } from './listing-queries.ts';

/**
 * Reads the caller's profile again and locks it until the transaction ends, so that the profile cannot be made private
 * before then. Share locks do not wait for each other; a command that changes the profile uses `forNoKeyUpdate`, which
 * does not block new rows that refer to the agent. Refuses an agent that has been suspended since its token was
 * checked.
 */
export async function lockProfile(
  writer: Writer,
  agentId: string,
  lock: 'forShare' | 'forNoKeyUpdate' = 'forShare',
): Promise<Agent> {
  const agent = await writer
    .selectFrom('bots')
    .where('id', '=', agentId)
    .select(agentColumnNames)
    [lock]()
    .executeTakeFirst();
  if (agent === undefined) throw unauthorizedRefusal();
  if (agent.suspended_at !== null) throw suspendedRefusal();
  return agent;
}

/**
 * Locks several agents in id order, so that commands on the same agents wait for each other instead of deadlocking.
 * Suspended agents are included; unknown ids are omitted.
 */
export async function lockAgents(writer: Writer, ids: readonly string[]): Promise<ReadonlyMap<string, Agent>> {
  const agents = await writer
    .selectFrom('bots')
    .where('id', 'in', ids)
    .orderBy('id')
    .select(agentColumnNames)
    .forShare()
    .execute();
  return new Map(agents.map((agent) => [agent.id, agent]));
}
