import { describe, expect, it } from 'vitest';
import { decideHandlerRetry } from './handler-retry.ts';

describe('an event whose handler failed', () => {
  it('is retried after growing delays with 50 % jitter, up to five minutes', () => {
    expect([1, 2, 3, 9, 10, 500].map((attempt) => decideHandlerRetry(attempt, 1_000, 0))).toEqual(
      [500, 1_000, 2_000, 128_000, 150_000, 150_000].map((waitMs) => ({ action: 'again', waitMs })),
    );
    expect(decideHandlerRetry(1, 8, 1)).toEqual({ action: 'again', waitMs: 1_000 });
  });

  it('is parked after the last attempt', () => {
    expect(decideHandlerRetry(7, 8, 0)).toMatchObject({ action: 'again' });
    expect(decideHandlerRetry(8, 8, 0)).toEqual({ action: 'park' });
    expect(decideHandlerRetry(1, 1, 0)).toEqual({ action: 'park' });
  });
});
