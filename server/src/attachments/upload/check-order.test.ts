import { describe, expect, it } from 'vitest';
import { mayCheckFurther, orderChecks } from './check-order.ts';

const usage = (running: Readonly<Record<string, number>>, spentMs: Readonly<Record<string, number>> = {}) => ({
  runningOf: (ownerId: string) => running[ownerId] ?? 0,
  spentMsOf: (ownerId: string) => spentMs[ownerId] ?? 0,
});
const order = (owners: readonly string[], use: ReturnType<typeof usage>) =>
  orderChecks(
    owners.map((ownerId) => ({ ownerId })),
    use,
  ).map(({ ownerId }) => ownerId);

describe('the order of checks', () => {
  it.each([
    ['by arrival', ['ann', 'bob'], usage({}), ['ann', 'bob']],
    ['one file of each agent', ['ann', 'ann', 'bob', 'ann'], usage({}), ['ann', 'bob']],
    ['agents without a check first', ['ann', 'bob'], usage({ ann: 1 }), ['bob', 'ann']],
    ['agents with little use first', ['ann', 'bob', 'cid'], usage({}, { ann: 20_000, cid: 90 }), ['bob', 'cid', 'ann']],
    ['checks before use', ['ann', 'bob'], usage({ ann: 1 }, { bob: 20_000 }), ['bob', 'ann']],
  ] as const)('is %s', (_rule, owners, use, expected) => {
    expect(order(owners, use)).toEqual(expected);
  });

  it('leaves no further check to an agent whose files took long', () => {
    expect(mayCheckFurther(usage({}, { ann: 2_000 }), 'ann')).toBe(true);
    expect(mayCheckFurther(usage({}, { ann: 2_001 }), 'ann')).toBe(false);
  });
});
