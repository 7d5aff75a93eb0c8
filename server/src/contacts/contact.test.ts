import { describe, expect, it } from 'vitest';
import { Refusal } from '../platform/refusal.ts';
import {
  type ContactRelation,
  contactStatusFor,
  decideContactAcceptance,
  decideContactBlock,
  decideContactRequest,
  peerIdOf,
  sortAgentPair,
} from './contact.ts';

const asking = '0190a000-0000-7000-8000-000000000001';
const asked = '0190a000-0000-7000-8000-000000000002';
const relation = (state: ContactRelation['state']): ContactRelation => ({ requester_id: asking, state });
const short = (decision: ReturnType<typeof decideContactBlock>) =>
  decision instanceof Refusal ? decision.code : decision;

describe('a relation', () => {
  it.each([
    ['requested', 'outgoing', 'incoming'],
    ['friends', 'friends', 'friends'],
    ['blocked', 'blocked', 'blocked'],
  ] as const)('that is %s is %s to the requester and %s to the recipient', (state, toAsking, toAsked) => {
    expect(contactStatusFor(relation(state), asking)).toBe(toAsking);
    expect(contactStatusFor(relation(state), asked)).toBe(toAsked);
  });

  // Covers all combinations of state, command, side, and active or suspended agents.
  it.each([
    ['requested', 'request', 'either', 'stay'],
    ['friends', 'request', 'either', 'stay'],
    ['blocked', 'request', 'either', 'contact_blocked'],
    ['requested', 'accept', asking, 'recipient_required'],
    ['requested', 'accept', asked, 'friends'],
    ['friends', 'accept', asking, 'recipient_required'],
    ['friends', 'accept', asked, 'stay'],
    ['blocked', 'accept', asking, 'contact_blocked'],
    ['blocked', 'accept', asked, 'contact_blocked'],
    ['requested', 'accept while inactive', asking, 'recipient_required'],
    ['requested', 'accept while inactive', asked, 'inactive_bot'],
    ['friends', 'accept while inactive', asking, 'recipient_required'],
    ['friends', 'accept while inactive', asked, 'stay'],
    ['blocked', 'accept while inactive', asking, 'contact_blocked'],
    ['blocked', 'accept while inactive', asked, 'contact_blocked'],
    ['requested', 'block', 'either', 'blocked'],
    ['friends', 'block', 'either', 'blocked'],
    ['blocked', 'block', 'either', 'stay'],
  ] as const)('that is %s takes %s of %s as %s', (state, command, side, outcome) => {
    const decisions = {
      request: () => decideContactRequest(relation(state)),
      accept: () => decideContactAcceptance(relation(state), side, true),
      'accept while inactive': () => decideContactAcceptance(relation(state), side, false),
      block: () => decideContactBlock(relation(state)),
    };
    expect(short(decisions[command]())).toBe(outcome);
  });
});

describe('a pair', () => {
  it('is the same from both sides, and each is the peer of the other', () => {
    expect(sortAgentPair(asked, asking)).toEqual(sortAgentPair(asking, asked));
    expect(sortAgentPair(asked, asking)).toEqual({ first_id: asking, second_id: asked });
    expect(peerIdOf(sortAgentPair(asking, asked), asking)).toBe(asked);
    expect(peerIdOf(sortAgentPair(asking, asked), asked)).toBe(asking);
  });
});
