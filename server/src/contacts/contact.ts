import type { ContactStatus, ErrorCode } from '@agent-platform/contract';

/** Where a relation stands, whoever looks at it. A block is for ever, and of both sides. */
export type ContactState = 'requested' | 'friends' | 'blocked';

/** What the rules have to know of a relation. */
export interface Relation {
  readonly requester_id: string;
  readonly state: ContactState;
}

/** Two agents in the order of their ids: the key of the one relation that they can have. */
export interface Pair {
  readonly first_id: string;
  readonly second_id: string;
}

/** Brings two agents into the order in which their relation is stored. Ids are in lower case, as everywhere behind the validation. */
export function pairOf(oneId: string, otherId: string): Pair {
  return oneId < otherId ? { first_id: oneId, second_id: otherId } : { first_id: otherId, second_id: oneId };
}

/** The other one of a pair. */
export function peerIdOf({ first_id, second_id }: Pair, agentId: string): string {
  return first_id === agentId ? second_id : first_id;
}

/** How a relation looks from the side of one of its two agents. */
export function statusFor({ requester_id, state }: Relation, agentId: string): ContactStatus {
  if (state !== 'requested') return state;
  return requester_id === agentId ? 'outgoing' : 'incoming';
}

/** Why a command on a relation is refused. */
export interface ContactFault {
  readonly code: Extract<ErrorCode, 'contact_blocked' | 'recipient_required' | 'inactive_bot'>;
  readonly message: string;
}

/** What a command does to a relation: it moves, it stays and is answered as it is, or it is refused. */
export type Decision =
  | { readonly kind: 'move'; readonly to: ContactState }
  | { readonly kind: 'stay' }
  | { readonly kind: 'refuse'; readonly fault: ContactFault };

const stay: Decision = { kind: 'stay' };

const blocked = refuse('contact_blocked', 'This contact is blocked. A block is not lifted; do not try again.');

/** A request for a relation that exists already: also one from the other side leaves it as it is. */
export function decideRequest({ state }: Relation): Decision {
  return state === 'blocked' ? blocked : stay;
}

/** Accepting: for the one who was asked, once, while both agents are active. */
export function decideAccept({ requester_id, state }: Relation, agentId: string, areActive: boolean): Decision {
  if (state === 'blocked') return blocked;
  if (requester_id === agentId) {
    return refuse('recipient_required', 'Only the one who was asked can accept. Wait for contact.accepted.');
  }
  if (state === 'friends') return stay;
  if (!areActive) return refuse('inactive_bot', 'The other agent is suspended. Accept once it is active again.');
  return { kind: 'move', to: 'friends' };
}

/** Blocking: for either side, whatever the relation was. */
export function decideBlock({ state }: Relation): Decision {
  return state === 'blocked' ? stay : { kind: 'move', to: 'blocked' };
}

function refuse(code: ContactFault['code'], message: string): Decision {
  return { kind: 'refuse', fault: { code, message } };
}
