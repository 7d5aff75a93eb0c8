import { errorStatuses, type Repeatability } from '@agent-platform/contract';
import { describe, expect, it } from 'vitest';
import { type AttemptFailure, decideRetry, mayRetryLater, type RetryBudget, type RetryDecision } from './retry.ts';

const fresh: RetryBudget = { retries: 0, maxRetries: 3, waitLeftMs: 60_000 };

function refused(
  status: number,
  code: keyof typeof errorStatuses | 'unknown',
  retryAfterSeconds: number | null = null,
) {
  return { kind: 'refused', error: { status, code, retryAfterSeconds } } as const;
}

type Outcome = RetryDecision['action'];

const rows: [string, AttemptFailure, Record<Exclude<Repeatability, 'idempotent'>, Outcome>][] = [
  ['not sent', { kind: 'not-sent' }, { safe: 'repeat', 'with-key': 'repeat', never: 'fail' }],
  ['lost', { kind: 'lost' }, { safe: 'repeat', 'with-key': 'repeat', never: 'fail-unknown' }],
  ['unreadable', { kind: 'unreadable' }, { safe: 'fail', 'with-key': 'fail', never: 'fail-unknown' }],
  ['redirected', { kind: 'redirected' }, { safe: 'fail', 'with-key': 'fail', never: 'fail' }],
  ['500', refused(500, 'internal_error'), { safe: 'repeat', 'with-key': 'repeat', never: 'fail-unknown' }],
  ['502 in HTML', refused(502, 'unknown'), { safe: 'repeat', 'with-key': 'repeat', never: 'fail-unknown' }],
  ['503', refused(503, 'unavailable', 1), { safe: 'repeat', 'with-key': 'repeat', never: 'fail-unknown' }],
  ['429', refused(429, 'write_limited', 1), { safe: 'repeat', 'with-key': 'repeat', never: 'fail' }],
  ['429 unknown', refused(429, 'unknown'), { safe: 'repeat', 'with-key': 'repeat', never: 'fail' }],
  ['429 quota', refused(429, 'storage_quota_exceeded', 1), { safe: 'fail', 'with-key': 'fail', never: 'fail' }],
  ['429 records', refused(429, 'storage_record_limit', 1), { safe: 'fail', 'with-key': 'fail', never: 'fail' }],
  ['409', refused(409, 'version_conflict'), { safe: 'fail', 'with-key': 'fail', never: 'fail' }],
  ['409 with Retry-After', refused(409, 'unknown', 1), { safe: 'fail', 'with-key': 'fail', never: 'fail' }],
  ['408', refused(408, 'request_timeout'), { safe: 'fail', 'with-key': 'fail', never: 'fail' }],
  ['401', refused(401, 'unauthorized'), { safe: 'fail', 'with-key': 'fail', never: 'fail' }],
];

describe('the retry rule', () => {
  describe.each(rows)('after %s', (_, failure, expected) => {
    it.each(['safe', 'with-key', 'never'] as const)('decides for operations with the repeat class "%s"', (repeat) => {
      expect(decideRetry(repeat, failure, fresh, 0.5).action).toBe(expected[repeat]);
    });

    it('treats idempotent operations like those with an idempotency key', () => {
      expect(decideRetry('idempotent', failure, fresh, 0.5).action).toBe(expected['with-key']);
    });
  });

  it.each(Object.entries(errorStatuses).filter(([, status]) => status < 500 && status !== 429))(
    'takes %s (%i) for an answer, whatever the operation',
    (code, status) => {
      const failure = { kind: 'refused', error: { status, code, retryAfterSeconds: 1 } } as AttemptFailure;
      for (const repeat of ['safe', 'with-key', 'never'] as const) {
        expect(decideRetry(repeat, failure, fresh, 0.5)).toEqual({ action: 'fail' });
      }
    },
  );

  it('ends when no retries are left', () => {
    expect(decideRetry('safe', { kind: 'lost' }, { ...fresh, retries: 2 }, 0.5).action).toBe('repeat');
    expect(decideRetry('safe', { kind: 'lost' }, { ...fresh, retries: 3 }, 0.5).action).toBe('fail');
  });

  it('ends when the next delay is longer than the remaining time', () => {
    const failure = refused(429, 'rate_limited', 30);

    expect(decideRetry('safe', failure, { ...fresh, waitLeftMs: 30_000 }, 0)).toEqual({
      action: 'repeat',
      waitMs: 30_000,
    });
    expect(decideRetry('safe', failure, { ...fresh, waitLeftMs: 29_999 }, 0)).toEqual({ action: 'fail' });
  });

  it('waits for Retry-After with jitter', () => {
    expect(decideRetry('safe', refused(429, 'rate_limited', 7), fresh, 0)).toEqual({ action: 'repeat', waitMs: 7_000 });
    expect(decideRetry('safe', refused(503, 'unavailable', 7), fresh, 0.999)).toEqual({
      action: 'repeat',
      waitMs: 7_250,
    });
  });

  it('backs off in growing steps with jitter, up to a maximum', () => {
    const waits = (random: number) =>
      [0, 1, 2, 3, 9].map((retries) => {
        const decision = decideRetry('safe', { kind: 'lost' }, { retries, maxRetries: 20, waitLeftMs: 60_000 }, random);
        return decision.action === 'repeat' ? decision.waitMs : undefined;
      });

    expect(waits(0)).toEqual([125, 250, 500, 1_000, 4_000]);
    expect(waits(1)).toEqual([250, 500, 1_000, 2_000, 8_000]);
  });
});

describe('the advice of an error', () => {
  it('is to call again after a temporary 429, for every operation', () => {
    expect(mayRetryLater('never', 429, 'registration_limited')).toBe(true);
    expect(mayRetryLater('safe', 429, 'storage_record_limit')).toBe(false);
  });

  it('is not to call again after a 5xx when the call must not be repeated', () => {
    expect(mayRetryLater('never', 503, 'unavailable')).toBe(false);
    expect(mayRetryLater('with-key', 503, 'unavailable')).toBe(true);
  });
});
