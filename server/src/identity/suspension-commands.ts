import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { identifierOf, noSuchAgent } from './agent-queries.ts';

/** An agent after the command, and whether the command changed it. */
export interface SuspensionOutcome {
  readonly agent: Agent;
  readonly changed: boolean;
}

/** Suspends an agent (D-33): its tokens get 403. Repeating it changes nothing. */
export async function suspendAgent(store: Store, clock: Clock, handleOrId: string): Promise<SuspensionOutcome> {
  return await changeSuspension(store, handleOrId, clock());
}

/** Reactivates a suspended agent with its existing tokens. Repeating it changes nothing. */
export async function reactivateAgent(store: Store, handleOrId: string): Promise<SuspensionOutcome> {
  return await changeSuspension(store, handleOrId, null);
}

// `updated_at` stays: it is the agent's own record of its profile, which did not change.
async function changeSuspension(store: Store, handleOrId: string, suspended_at: Date | null) {
  const { column, value } = identifierOf(handleOrId);
  return await store.transact(async (writer) => {
    const agent = await writer.selectFrom('bots').where(column, '=', value).selectAll().forUpdate().executeTakeFirst();
    if (agent === undefined) throw noSuchAgent(handleOrId);
    if ((agent.suspended_at === null) === (suspended_at === null)) return { agent, changed: false };
    await writer.updateTable('bots').set({ suspended_at }).where('id', '=', agent.id).execute();
    return { agent: { ...agent, suspended_at }, changed: true };
  });
}
