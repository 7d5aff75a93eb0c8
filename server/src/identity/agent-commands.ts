import type { Writer } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { unauthorized } from './token-queries.ts';

/**
 * Reads the passport of the caller afresh and keeps it as it is until the
 * transaction ends: a profile cannot be closed between a look at it and what
 * is decided by that look. Other readers of the same kind are not held up.
 */
export async function lockProfile(writer: Writer, agentId: string): Promise<Agent> {
  const agent = await writer.selectFrom('bots').where('id', '=', agentId).selectAll().forShare().executeTakeFirst();
  if (agent === undefined) throw unauthorized();
  return agent;
}
