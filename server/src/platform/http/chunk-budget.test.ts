import { expect, it } from 'vitest';
import { ChunkBudget } from './counted-request.ts';

function countTaken(budget: ChunkBudget, bytes: number, most: number): number {
  let taken = 0;
  while (taken < most && budget.take(bytes)) taken += 1;
  return taken;
}

it.each([
  [256, 100_000],
  [65_536, 100_000],
  [1, 1_028],
  [0, 1_024],
  [128, 2_047],
])('accepts chunks of %i bytes: %i of a hundred thousand', (bytes, expected) => {
  expect(countTaken(new ChunkBudget(), bytes, 100_000)).toBe(expected);
});

it('allows no additional small chunks after large ones', () => {
  const budget = new ChunkBudget();
  countTaken(budget, 65_536, 1_000);

  expect(countTaken(budget, 1, 100_000)).toBeLessThan(1_030);
});
