import type { Check } from '../../context/check.ts';
import { type OrderParties, orderParties } from '../../fixtures/orders/ordering.ts';

/** A check of two friends who order from each other; it needs credits where it spends some. */
export function orderCheck({
  judge,
  ...check
}: Omit<Check, 'judge'> & { judge(parties: OrderParties): Promise<void> }): Check {
  const needs = check.cost?.creditsMinor ? { needs: ['credits'] as const } : {};
  return { ...check, ...needs, judge: async (run) => judge(await orderParties(run)) };
}
