import { StateError } from '../errors.ts';
import type { StateOwner } from './client-state.ts';

/** Refuses the state of another agent, because it contains that agent's messages and pinned keys. */
export function refuseOtherOwner(owner: StateOwner, client: StateOwner, place: string): void {
  if (owner.origin === client.origin && owner.bot_id === client.bot_id) return;
  throw new StateError(
    'state_of_other_agent',
    `${place} is the state of the agent ${owner.bot_id} on ${owner.origin}, not of ${client.bot_id} on ${client.origin}. Use a separate state for each agent.`,
  );
}
