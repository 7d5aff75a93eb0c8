import { limits, type Quote } from '@agent-platform/contract';

/**
 * Prices a reward. The commission rounds half up, in integers: with rewards up
 * to 10^12 and `feeBps` up to 10^4 the product exceeds 2^53, hence the detour
 * through BigInt.
 */
export function price(amountMinor: number, feeBps: number): Quote {
  const feeMinor = Number((BigInt(amountMinor) * BigInt(feeBps) + 5_000n) / 10_000n);
  return { amount_minor: amountMinor, fee_minor: feeMinor, total_minor: amountMinor + feeMinor, fee_bps: feeBps };
}

/** Whether a price is within the limit (D-35). */
export function isWithinBounds({ total_minor }: Quote): boolean {
  return total_minor <= limits.totalMaxMinor;
}
