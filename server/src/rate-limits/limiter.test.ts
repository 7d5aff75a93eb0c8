import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { makeMemoryCounters, type RateLimitCounters } from './counters.ts';
import { makeLimiter } from './limiter.ts';
import { addToWindow, judgeRequest, maxUnsharedRequests } from './rate-limit.ts';

const limit = { name: 'tries', max: 3, windowMs: 1_000 };

describe('a window', () => {
  it('starts with its first request and counts until its end', () => {
    const first = addToWindow(undefined, 1, limit, 5_000);
    const second = addToWindow(first, 1, limit, 5_999);
    const anew = addToWindow(second, 1, limit, 6_000);

    // This window ends in 20 days, because a wrong clock started it.
    expect(addToWindow({ count: 3, endsAtMs: 1_728_000_000 }, 1, limit, 5_000)).toEqual(first);
    expect([first, second, anew]).toEqual([
      { count: 1, endsAtMs: 6_000 },
      { count: 2, endsAtMs: 6_000 },
      { count: 1, endsAtMs: 7_000 },
    ]);
  });

  it.each([
    [3, 5_999, { allowed: true }],
    [4, 5_001, { allowed: false, retryAfterSeconds: 1 }],
    [4, 5_999, { allowed: false, retryAfterSeconds: 1 }],
  ])('with the count %i at %i decides %j', (count, now, verdict) => {
    expect(judgeRequest({ count, endsAtMs: 6_000 }, limit, now)).toEqual(verdict);
  });

  it('allows an instance to admit a sixteenth of the remaining count in advance, and nothing at the end', () => {
    const counted = [0, 1_000, 1_184, 1_185, 1_200, 1_300];

    expect(counted.map((count) => maxUnsharedRequests({ count, endsAtMs: 0 }, { ...limit, max: 1_200 }))).toEqual([
      64, 12, 1, 0, 0, 0,
    ]);
  });
});

describe('counters in memory', () => {
  it('delete windows that have ended', async () => {
    const counters = makeMemoryCounters();
    const counts = Array.from({ length: 100 }, (_, key) => ({ limit, key: String(key), amount: 1 }));
    await counters.count(counts, new Date(0));
    await counters.count([{ limit, key: 'late', amount: 1 }], new Date(500));
    await counters.sweep(new Date(1_000));

    expect(counters.size).toBe(1);
  });
});

describe('a limiter', () => {
  it.each([
    [9_999, 20],
    [10_000, 1],
  ])('of %i sends the counts of 20 consecutive requests %i times', async (max, asked) => {
    const counters = makeMemoryCounters();
    let times = 0;
    const count: RateLimitCounters['count'] = (...given) => {
      times += 1;
      return counters.count(...given);
    };
    const now = new Date();
    const limiter = makeLimiter({ ...counters, count }, () => now, pino({ enabled: false }));
    for (let request = 0; request < 20; request += 1) await limiter.take({ ...limit, max }, 'alice');
    limiter.close();

    expect(times).toBe(asked);
  });

  it('does not count refused requests, so a count that was given back can be used again', async () => {
    const now = new Date();
    const limiter = makeLimiter(makeMemoryCounters(), () => now, pino({ enabled: false }));
    const take = () => limiter.take(limit, 'alice');
    await take();
    const verdicts = await Promise.all(Array.from({ length: 6 }, take));
    const admitted = verdicts.filter(({ allowed }) => allowed);
    for (const _ of admitted) limiter.giveBack(limit, 'alice');
    await wait(20);
    const last = [await take(), await take(), await take()];
    limiter.close();

    expect(admitted).toHaveLength(2);
    expect(last.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });
});
