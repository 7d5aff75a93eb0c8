import { sql } from 'kysely';
import { recordRevocation } from '../store/statements/after-commit.ts';
import { formatArray } from '../store/statements/parameters.ts';
import {
  type AgentCommandDependencies,
  type AgentOutcome,
  lockNamedAgents,
  makeAgentOutcomes,
} from './named-agents-commands.ts';

/** Requests of a suspended agent get 403 (§2.30). Agents that are already suspended are not changed. */
export async function suspendAgents(
  parts: AgentCommandDependencies,
  names: readonly string[],
): Promise<readonly AgentOutcome[]> {
  return await changeSuspensions(parts, names, parts.clock());
}

/** Reactivated agents can use their existing tokens again. Agents that are already active are not changed. */
export async function reactivateAgents(
  parts: AgentCommandDependencies,
  names: readonly string[],
): Promise<readonly AgentOutcome[]> {
  return await changeSuspensions(parts, names, null);
}

// Leaves `updated_at` unchanged, because it is the time of the last profile change.
async function changeSuspensions(
  { store, record }: AgentCommandDependencies,
  names: readonly string[],
  suspended_at: Date | null,
) {
  return await store.transact(async (writer) => {
    const agents = await lockNamedAgents(writer, names);
    const changed = new Map(
      [...agents.values()]
        .filter((agent) => !agent.is_erased && (agent.suspended_at === null) !== (suspended_at === null))
        .map((agent) => [agent.id, { ...agent, suspended_at }]),
    );
    const ids = [...changed.keys()];
    await sql`update bots set suspended_at = ${suspended_at} where id = any(${formatArray(ids)}::uuid[])`.execute(
      writer,
    );
    await record(
      writer,
      ids.map((agentId) => ({ agentId })),
    );
    const kind = suspended_at === null ? 'reactivated' : 'suspended';
    recordRevocation(writer, ...ids.map((agent_id) => ({ kind, agent_id }) as const));
    return makeAgentOutcomes(names, agents, changed);
  });
}
