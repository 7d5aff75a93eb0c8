import { describe, expect, it } from 'vitest';
import { determineInvitationState } from './invitation-queries.ts';

describe('the state of an invitation', () => {
  const facts = { uses: 2, used: 1, expiresAtMs: 1_000, isRevoked: false };

  it.each([
    ['active before its end', facts, 999, 'active'],
    ['expired from its end on', facts, 1_000, 'expired'],
    ['active for ever without an end', { ...facts, expiresAtMs: null }, 1e15, 'active'],
    ['used up by its last use', { ...facts, used: 2 }, 0, 'used_up'],
    ['used up, expired as well', { ...facts, used: 2 }, 2_000, 'used_up'],
    ['revoked, whatever else', { ...facts, used: 2, isRevoked: true }, 2_000, 'revoked'],
  ] as const)('is %s', (_, given, nowMs, state) => {
    expect(determineInvitationState(given, nowMs)).toBe(state);
  });
});
