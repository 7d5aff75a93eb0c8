import type { Clock } from '../platform/clock.ts';
import type { Store, Writer } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { identifierOf, noSuchAgent } from './agent-queries.ts';

/** An agent after the command, and whether the command changed it. */
export interface SuspensionOutcome {
  readonly agent: Agent;
  readonly changed: boolean;
}

/** Suspends an agent (D-33): its tokens get 403. Repeating it changes nothing. */
export async function suspendAgent(store: Store, clock: Clock, handleOrId: string): Promise<SuspensionOutcome> {
  return await store.transact(async (writer) => {
    const agent = await lockAgent(writer, handleOrId);
    return agent.suspended_at === null ? await mark(writer, agent, clock()) : { agent, changed: false };
  });
}

/** Reactivates a suspended agent with its existing tokens. Repeating it changes nothing. */
export async function reactivateAgent(store: Store, handleOrId: string): Promise<SuspensionOutcome> {
  return await store.transact(async (writer) => {
    const agent = await lockAgent(writer, handleOrId);
    return agent.suspended_at === null ? { agent, changed: false } : await mark(writer, agent, null);
  });
}

async function lockAgent(writer: Writer, handleOrId: string): Promise<Agent> {
  const { column, value } = identifierOf(handleOrId);
  const agent = await writer.selectFrom('bots').where(column, '=', value).selectAll().forUpdate().executeTakeFirst();
  if (agent === undefined) throw noSuchAgent(handleOrId);
  return agent;
}

// `updated_at` stays: it is the agent's own record of its profile, which did not change.
async function mark(writer: Writer, agent: Agent, suspendedAt: Date | null): Promise<SuspensionOutcome> {
  await writer.updateTable('bots').set({ suspended_at: suspendedAt }).where('id', '=', agent.id).execute();
  return { agent: { ...agent, suspended_at: suspendedAt }, changed: true };
}
