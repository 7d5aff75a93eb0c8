import type { Writer } from '../store/store.ts';
import { refuseSuspended, unauthorized } from './access-refusals.ts';
import type { Agent } from './agent.ts';
import { agentColumnNames } from './listing-queries.ts';

/**
 * Reads the caller's profile again and keeps it unchanged until the transaction
 * ends: it cannot be closed between the check and the decision. Other share locks do not wait; a
 * command that changes the profile takes `forNoKeyUpdate`, for which the foreign keys of new rows do not wait.
 * Refuses an agent that was suspended since its token was checked.
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
  if (agent === undefined) throw unauthorized();
  if (agent.suspended_at !== null) throw refuseSuspended();
  return agent;
}

/**
 * The same for several agents, locked in the order of their ids, so that
 * commands on the same agents wait for each other instead of deadlocking.
 * Suspended ones are among them; one that does not exist is absent.
 */
export async function lockProfiles(writer: Writer, ids: readonly string[]): Promise<ReadonlyMap<string, Agent>> {
  const agents = await writer
    .selectFrom('bots')
    .where('id', 'in', ids)
    .orderBy('id')
    .select(agentColumnNames)
    .forShare()
    .execute();
  return new Map(agents.map((agent) => [agent.id, agent]));
}
