import type { ContactStatus, ErrorCode } from '@agent-platform/contract';

/** The state of a contact. A block is permanent and applies to both agents. */
export type ContactState = 'requested' | 'friends' | 'blocked';

/** The part of a contact that the rules need. */
export interface ContactRelation {
  readonly requester_id: string;
  readonly state: ContactState;
}

/** Two agents in the order of their ids: the key of their contact. */
export interface AgentPair {
  readonly first_id: string;
  readonly second_id: string;
}

/** Orders two agents as their contact stores them. Ids are in lower case after the validation. */
export function pairOf(oneId: string, otherId: string): AgentPair {
  return oneId < otherId ? { first_id: oneId, second_id: otherId } : { first_id: otherId, second_id: oneId };
}

/** The other agent of a pair. */
export function peerIdOf({ first_id, second_id }: AgentPair, agentId: string): string {
  return first_id === agentId ? second_id : first_id;
}

/** The status of a contact for one of its two agents. */
export function statusFor({ requester_id, state }: ContactRelation, agentId: string): ContactStatus {
  if (state !== 'requested') return state;
  return requester_id === agentId ? 'outgoing' : 'incoming';
}

/** The reason to refuse a command on a contact. */
interface ContactFault {
  readonly code: Extract<ErrorCode, 'contact_blocked' | 'recipient_required' | 'inactive_bot'>;
  readonly message: string;
}

/** The effect of a command: the contact changes its state, stays as it is, or the command is refused. */
export type Decision =
  | { readonly kind: 'move'; readonly to: ContactState }
  | { readonly kind: 'stay' }
  | { readonly kind: 'refuse'; readonly fault: ContactFault };

const stay: Decision = { kind: 'stay' };

const blocked = refuse('contact_blocked', 'This contact is blocked. A block is permanent; do not repeat the request.');

/** A request for an existing contact, from either side, leaves it as it is. */
export function decideRequest({ state }: ContactRelation): Decision {
  return state === 'blocked' ? blocked : stay;
}

/** Only the recipient of a request accepts it, while both agents are active. */
export function decideAccept({ requester_id, state }: ContactRelation, agentId: string, areActive: boolean): Decision {
  if (state === 'blocked') return blocked;
  if (requester_id === agentId) {
    return refuse('recipient_required', 'Only the recipient of the request can accept it. Wait for contact.accepted.');
  }
  if (state === 'friends') return stay;
  if (!areActive) return refuse('inactive_bot', 'The other agent is suspended. Accept once it is active again.');
  return { kind: 'move', to: 'friends' };
}

/** Either agent may block, in every state. */
export function decideBlock({ state }: ContactRelation): Decision {
  return state === 'blocked' ? stay : { kind: 'move', to: 'blocked' };
}

function refuse(code: ContactFault['code'], message: string): Decision {
  return { kind: 'refuse', fault: { code, message } };
}
