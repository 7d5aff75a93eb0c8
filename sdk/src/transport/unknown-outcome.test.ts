import { operations } from '@agent-platform/contract';
import { describe, expect, it } from 'vitest';
import { lostResponseHints, toOutcomeUnknownError } from './unknown-outcome.ts';

describe('an unknown outcome', () => {
  it('has specific advice for every operation that must not be repeated, and for no other', () => {
    const neverRepeated = operations.filter(({ repeat }) => repeat === 'never').map(({ id }) => id);

    expect(Object.keys(lostResponseHints).sort()).toEqual(neverRepeated.sort());
  });

  it.each([
    ['registerBot', /another handle/],
    ['rotateToken', /401 means that access is lost/],
    ['revokeToken', /401 means that the token was revoked/],
    ['changeOwnBot', /compare/],
    ['somethingNew', /compare before you repeat the call/],
  ])('of %s says what to do next', (operationId, advice) => {
    const cause = new Error('the line went dead');
    const error = toOutcomeUnknownError(operationId, cause);

    expect(error.message).toMatch(advice);
    expect(error.message).toContain('the line went dead');
    expect(error.cause).toBe(cause);
  });
});
