import { describe, expect, it } from 'vitest';
import { median, summarizeValues } from './statistics.ts';

describe('the median', () => {
  it.each([
    [[3], 3],
    [[10, 2, 3], 3],
    [[10, 2, 3, 4], 3.5],
  ])('of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  it('of an empty list is refused', () => {
    expect(() => median([])).toThrow('no median');
  });

  it('comes with its range in a summary', () => {
    expect(summarizeValues([5, 1, 2])).toEqual({ value: 2, range: [1, 5] });
  });
});
