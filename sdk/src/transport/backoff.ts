/**
 * The delay before a repeat: it doubles from `firstMs` to `maxMs`, and half of
 * it is random, so that clients that failed together do not return together.
 *
 * @param repeats made so far
 * @param random a number from 0 up to 1
 */
export function backoffMs(firstMs: number, maxMs: number, repeats: number, random: number): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.min(repeats, 20));
  return Math.round(ceilingMs / 2 + (random * ceilingMs) / 2);
}
