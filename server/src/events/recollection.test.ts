import { expect, it } from 'vitest';
import { Recollection } from './recollection.ts';

it('remembers at least as many as it keeps, and at most twice as many', () => {
  const memory = new Recollection<number>(100);
  for (let entry = 0; entry < 1_000; entry += 1) memory.set(String(entry), entry);
  const remembered = Array.from({ length: 1_000 }, (_, entry) => entry).filter(
    (entry) => memory.get(String(entry)) !== undefined,
  );

  expect(remembered.length).toBeGreaterThanOrEqual(100);
  expect(remembered.length).toBeLessThanOrEqual(200);
  expect(remembered.at(-1)).toBe(999);
});

it('tells what was said last of an entry', () => {
  const memory = new Recollection<string>(2);
  memory.set('a', 'gone');
  memory.set('b', 'gone');
  memory.set('c', 'gone');
  memory.set('a', 'acknowledged');

  expect(memory.get('a')).toBe('acknowledged');
});
