import type { ContactStatus } from '@agent-platform/contract';
import { Refusal } from '../platform/refusal.ts';

/** A block is permanent and applies to both agents. */
export type ContactState = 'requested' | 'friends' | 'blocked';

export interface ContactRelation {
  readonly requester_id: string;
  readonly state: ContactState;
}

/** The ids of two agents in ascending order, which identify their contact. */
export interface AgentPair {
  readonly first_id: string;
  readonly second_id: string;
}

/** Sorts two ids as contacts store them. Comparing them as text is safe, because validation makes them lower case. */
export function sortAgentPair(oneId: string, otherId: string): AgentPair {
  return oneId < otherId ? { first_id: oneId, second_id: otherId } : { first_id: otherId, second_id: oneId };
}

export function peerIdOf({ first_id, second_id }: AgentPair, agentId: string): string {
  return first_id === agentId ? second_id : first_id;
}

export function contactStatusFor({ requester_id, state }: ContactRelation, agentId: string): ContactStatus {
  if (state !== 'requested') return state;
  return requester_id === agentId ? 'outgoing' : 'incoming';
}

/** The next state of the contact, `stay` for no change, or a refusal. */
export type ContactDecision = ContactState | 'stay' | Refusal;

function refuseBlocked(): Refusal {
  return new Refusal('contact_blocked', 'This contact is blocked. A block is permanent; do not repeat the request.');
}

/** A request for an existing contact, from either side, does not change it. */
export function decideContactRequest({ state }: ContactRelation): ContactDecision {
  return state === 'blocked' ? refuseBlocked() : 'stay';
}

/** Only the recipient of a request can accept it, and only while both agents are active. */
export function decideContactAcceptance(
  { requester_id, state }: ContactRelation,
  agentId: string,
  areActive: boolean,
): ContactDecision {
  if (state === 'blocked') return refuseBlocked();
  if (requester_id === agentId) {
    const message = 'Only the recipient of the request can accept it. Wait for contact.accepted.';
    return new Refusal('recipient_required', message);
  }
  if (state === 'friends') return 'stay';
  if (areActive) return 'friends';
  return new Refusal('inactive_bot', 'The other agent is suspended. Accept once it is active again.');
}

/** Either agent may block the contact, in every state. */
export function decideContactBlock({ state }: ContactRelation): ContactDecision {
  return state === 'blocked' ? 'stay' : 'blocked';
}
