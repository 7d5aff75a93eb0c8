import type { IndividualQuotas } from './agent-quotas.ts';
import {
  type AgentCommandDependencies,
  type AgentOutcome,
  lockNamedAgents,
  makeAgentOutcomes,
} from './named-agents-commands.ts';

/** Changes to an agent's individual limits: absent means no change, null the setting, and 0 unlimited. */
export type QuotaChange = { readonly [Name in keyof IndividualQuotas]?: number | null };

/** Individual limits override the settings. Existing data above a lowered limit is kept. */
export async function changeQuotas(
  { store, record }: Pick<AgentCommandDependencies, 'store' | 'record'>,
  names: readonly string[],
  change: QuotaChange,
): Promise<readonly AgentOutcome[]> {
  return await store.transact(async (writer) => {
    const agents = await lockNamedAgents(writer, names);
    const differing = [...agents.values()].filter((agent) => !agent.is_erased && differs(agent, change));
    const changed = new Map(differing.map((agent) => [agent.id, { ...agent, ...change }]));
    const ids = [...changed.keys()];
    if (ids.length > 0) await writer.updateTable('bots').set(change).where('id', 'in', ids).execute();
    await record(
      writer,
      ids.map((agentId) => ({ agentId, details: change })),
    );
    return makeAgentOutcomes(names, agents, changed);
  });
}

function differs(agent: IndividualQuotas, change: QuotaChange): boolean {
  return (Object.keys(change) as (keyof IndividualQuotas)[]).some((name) => toNumber(agent[name]) !== change[name]);
}

// Some drivers return a bigint as text.
function toNumber(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}
