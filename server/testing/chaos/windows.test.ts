import { describe, expect, it } from 'vitest';
import { type ClientAttempt, type FaultWindow, findUnexplainedFailures, measureFaultEffects } from './windows.ts';

const kill: FaultWindow = {
  name: 'kill of instance 1',
  beganMs: 10_000,
  endedMs: 14_000,
  explains: [/^connection lost$/],
};
const freeze: FaultWindow = { name: 'redis-freeze', beganMs: 60_000, endedMs: 65_000, explains: [] };

const attempt = (sentMs: number, answeredMs: number, cause?: string): ClientAttempt => ({
  kind: 'messages',
  sentMs,
  answeredMs,
  cause,
});

describe('a failure', () => {
  it.each([
    ['began before the fault and ended during it', attempt(9_000, 10_500, 'connection lost'), 0],
    ['came soon after it', attempt(28_000, 28_100, 'connection lost'), 0],
    ['has a cause that the fault does not have', attempt(11_000, 11_100, 'unavailable'), 1],
    ['ended before the fault', attempt(9_000, 9_900, 'connection lost'), 1],
    ['came long after it', attempt(30_000, 30_100, 'connection lost'), 1],
    ['came during a fault that must go unnoticed', attempt(61_000, 61_100, 'unavailable'), 1],
    ['is a limit of a busy machine', attempt(61_000, 61_100, 'upload_busy'), 0],
  ])('that %s: %#', (_, failed, unexplained) => {
    expect(findUnexplainedFailures([failed, attempt(0, 100)], [kill, freeze], 0)).toHaveLength(unexplained);
  });
});

describe('the effect of a fault', () => {
  it('has its failures, the longest time without a success, and the last failed request after it', () => {
    const attempts = [
      attempt(9_000, 9_100),
      attempt(10_500, 11_000, 'connection lost'),
      attempt(15_000, 16_000, 'connection lost'),
      attempt(11_500, 11_600),
      attempt(16_000, 16_100),
      attempt(61_000, 61_100),
    ];

    const [first, second] = measureFaultEffects(attempts, [kill, freeze]);

    expect(first).toEqual({
      name: 'kill of instance 1',
      seconds: 4,
      failed: { 'messages connection lost': 2 },
      outageMs: 45_000,
      lastFailureMs: 2_000,
    });
    expect(second?.failed).toEqual({});
  });
});
