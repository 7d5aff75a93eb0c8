import { expect, it } from 'vitest';
import { makeStreamChangeHooks } from './request-trace.ts';

it('reports token rotations on stderr while events are received', () => {
  const lines: string[] = [];
  const { onTokenRotation } = makeStreamChangeHooks({
    stderr: { isTerminal: false, write: (text: string) => lines.push(text) } as never,
  });
  onTokenRotation?.({ state: 'rotated', tokenExpiresAt: '2027-01-31T00:00:00.000Z' });
  const error = new Error('no\u001bspace');
  onTokenRotation?.({ state: 'failed', error, tokenExpiresAt: '2027-01-31T00:00:00.000Z', waitMs: 300_000 });

  expect(lines[0]).toBe('agentp: the token was rotated; it expires at 2027-01-31T00:00:00.000Z.\n');
  expect(lines[1]).toMatch(
    /^agentp: the token, which expires at .*Z, could not be rotated \(no.+space\); next attempt in 300 s\./,
  );
  expect(lines[1]).not.toContain('\u001b');
});
