import { sql } from 'kysely';
import { IsUuid } from 'typebox/format';
import type { Clock } from '../platform/clock.ts';
import { formatArray } from '../store/statements/parameters.ts';
import type { Store, Writer } from '../store/store.ts';
import type { Agent } from './agent.ts';
import type { ActRecorder } from './audit-commands.ts';
import { agentColumns } from './listing-queries.ts';

export interface AgentCommandDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly record: ActRecorder;
}

export type AgentOutcome =
  | { readonly name: string; readonly outcome: 'changed' | 'unchanged' | 'erased'; readonly agent: Agent }
  | { readonly name: string; readonly outcome: 'unknown' };

export interface LockedAgent extends Agent {
  readonly is_erased: boolean;
}

/** Names that do not match this pattern are not handles, and some could not be part of an array literal. */
const handleForm = /^[a-z][a-z0-9_]*$/;

/**
 * Locks the agents with these handles or ids, including suspended ones, in id order. Waits for running commands on
 * their profiles; later commands wait for this transaction.
 */
export async function lockNamedAgents(
  writer: Writer,
  names: readonly string[],
): Promise<ReadonlyMap<string, LockedAgent>> {
  const ids = names.filter((name) => IsUuid(name)).map((name) => name.toLowerCase());
  const handles = names.filter((name) => handleForm.test(name));
  const { rows: agents } = await sql<Agent>`
    select ${agentColumns('bots')} from bots
    where id = any(${formatArray(ids)}::uuid[]) or handle = any(${formatArray(handles)}::text[])
    order by id for no key update`.execute(writer);
  // This needs a separate statement, because the one above cannot read an erasure that it waited for.
  const lockedIds = formatArray(agents.map(({ id }) => id));
  const erased = await sql<{ agent_id: string }>`
    select agent_id from erasures where agent_id = any(${lockedIds}::uuid[])`.execute(writer);
  const erasedIds = new Set(erased.rows.map(({ agent_id }) => agent_id));
  const named = agents.map((agent) => ({ ...agent, is_erased: erasedIds.has(agent.id) }));
  const known = new Map(named.flatMap((agent) => [[agent.id, agent] as const, [agent.handle, agent] as const]));
  return new Map(names.flatMap((name) => withAgent(name, known.get(IsUuid(name) ? name.toLowerCase() : name))));
}

function withAgent(name: string, agent: LockedAgent | undefined) {
  return agent === undefined ? [] : [[name, agent] as const];
}

/** An agent that several names refer to is reported as changed only once. */
export function makeAgentOutcomes(
  names: readonly string[],
  agents: ReadonlyMap<string, LockedAgent>,
  changed: ReadonlyMap<string, Agent>,
): readonly AgentOutcome[] {
  const reported = new Set<string>();
  return names.map((name) => {
    const agent = agents.get(name);
    if (agent === undefined) return { name, outcome: 'unknown' };
    if (agent.is_erased) return { name, outcome: 'erased', agent };
    const now = changed.get(agent.id);
    if (now === undefined || reported.has(agent.id)) return { name, outcome: 'unchanged', agent: now ?? agent };
    reported.add(agent.id);
    return { name, outcome: 'changed', agent: now };
  });
}
