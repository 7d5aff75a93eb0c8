import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from './crypto.ts';

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are UUIDs of version 7 that never repeat', () => {
    const ids = Array.from({ length: 5_000 }, newId);

    expect(new Set(ids).size).toBe(5_000);
    for (const id of ids) expect(id).toMatch(form);
  });

  it('start with the time in milliseconds', () => {
    const before = Date.now();

    const ms = Number.parseInt(newId().replace('-', '').slice(0, 12), 16);

    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(Date.now());
  });

  it('of records are ordered by the time of their creation', () => {
    const ids = Array.from({ length: 5_000 }, newId);

    expect(ids).toEqual(ids.toSorted());
  });

  it('stay ordered within a millisecond, and when the clock is set back', () => {
    vi.useFakeTimers({ now: Date.now() + 60_000 });
    const sameTime = Array.from({ length: 1_000 }, newId);
    vi.setSystemTime(Date.now() - 3_600_000);
    const setBack = Array.from({ length: 1_000 }, newId);

    const ids = [...sameTime, ...setBack];
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(2_000);
  });

  it('have a random end, also in the next set of random bytes', () => {
    const first = newId();
    const ends = Array.from({ length: 600 }, () => newId().slice(-10));

    expect(new Set([first.slice(-10), ...ends]).size).toBe(601);
  });
});
