import { describe, expect, it } from 'vitest';
import { median, percentile, summary } from './statistics.ts';

describe('the median', () => {
  it.each([
    [[3], 3],
    [[10, 2, 3], 3],
    [[10, 2, 3, 4], 3.5],
  ])('of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  it('of nothing is refused', () => {
    expect(() => median([])).toThrow('no median');
  });

  it('comes with its range in a summary', () => {
    expect(summary([5, 1, 2])).toEqual({ value: 2, range: [1, 5] });
  });
});

describe('a percentile', () => {
  it.each([
    [95, 95],
    [50, 50],
    [100, 100],
  ])('%d of the numbers to 100 is %d', (percent, value) => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);

    expect(percentile(values, percent)).toBe(value);
  });
});
