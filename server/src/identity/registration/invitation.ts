/** What an invitation is good for. */
type InvitationState = 'active' | 'used_up' | 'expired' | 'revoked';

/** What decides the state of an invitation; times in milliseconds since 1970. */
interface InvitationFacts {
  readonly uses: number;
  readonly used: number;
  readonly expiresAtMs: number | null;
  readonly isRevoked: boolean;
}

/** The state at a moment. What ended it for good is told before what may also be true. */
export function stateOfInvitation(facts: InvitationFacts, nowMs: number): InvitationState {
  if (facts.isRevoked) return 'revoked';
  if (facts.used >= facts.uses) return 'used_up';
  return facts.expiresAtMs !== null && facts.expiresAtMs <= nowMs ? 'expired' : 'active';
}
