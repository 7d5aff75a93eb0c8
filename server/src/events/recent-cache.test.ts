import { expect, it } from 'vitest';
import { RecentCache } from './recent-cache.ts';

it('keeps at least its capacity, and at most twice as many', () => {
  const cache = new RecentCache<number>(100);
  for (let entry = 0; entry < 1_000; entry += 1) cache.set(String(entry), entry);
  const remembered = Array.from({ length: 1_000 }, (_, entry) => entry).filter(
    (entry) => cache.get(String(entry)) !== undefined,
  );

  expect(remembered.length).toBeGreaterThanOrEqual(100);
  expect(remembered.length).toBeLessThanOrEqual(200);
  expect(remembered.at(-1)).toBe(999);
});

it('returns the latest value of an entry', () => {
  const cache = new RecentCache<string>(2);
  cache.set('a', 'gone');
  cache.set('b', 'gone');
  cache.set('c', 'gone');
  cache.set('a', 'acknowledged');

  expect(cache.get('a')).toBe('acknowledged');
});
