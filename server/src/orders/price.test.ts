import { describe, expect, it } from 'vitest';
import { computePrice, isWithinTotalLimit } from './order.ts';

describe('the price', () => {
  it.each([
    [1, 1_000, 0],
    [4, 1_000, 0],
    [5, 1_000, 1],
    [14, 1_000, 1],
    [15, 1_000, 2],
    [1_005, 1_000, 101],
    [10_000, 1_000, 1_000],
    [100, 0, 0],
    [100, 10_000, 100],
    [3, 3_333, 1],
    [909_090_909_091, 1_000, 90_909_090_909],
    [999_999_999_999, 9_999, 999_900_000_000 - 1],
    [1_000_000_000_000, 10_000, 1_000_000_000_000],
  ])('of %d at %d hundredths of a percent has a commission of %d', (amount, feeBps, fee) => {
    expect(computePrice(amount, feeBps)).toEqual({
      amount_minor: amount,
      fee_minor: fee,
      total_minor: amount + fee,
      fee_bps: feeBps,
    });
  });

  it('may be at most 10^12 in total', () => {
    expect(computePrice(909_090_909_091, 1_000).total_minor).toBe(1_000_000_000_000);
    expect(isWithinTotalLimit(computePrice(909_090_909_091, 1_000))).toBe(true);
    expect(computePrice(909_090_909_092, 1_000).total_minor).toBe(1_000_000_000_001);
    expect(isWithinTotalLimit(computePrice(909_090_909_092, 1_000))).toBe(false);
  });

  it('agrees with exact arithmetic for any amount', () => {
    for (let amount = 1; amount <= 2_000; amount += 1) {
      const exact = Math.floor((amount * 1_000 + 5_000) / 10_000);
      expect(computePrice(amount, 1_000).fee_minor).toBe(exact);
    }
  });
});
