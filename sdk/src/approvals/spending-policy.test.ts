import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { findExceededLimit, readSpendingPolicy, type SpendingPolicy } from './spending-policy.ts';

const at = (time: string) => new Date(`2030-01-02T${time}:00`);
const order = { totalMinor: 600, spentMinor: 1_000, spentWithCounterpartyMinor: 300, at: at('12:00') };

it.each<[SpendingPolicy, string, string | undefined]>([
  [{}, '12:00', undefined],
  [{ per_order_minor: 600 }, '12:00', undefined],
  [{ per_order_minor: 599 }, '12:00', 'permits 5.99 for one order'],
  [{ per_day_minor: 1_600 }, '12:00', undefined],
  [{ per_day_minor: 1_599 }, '12:00', 'permits 15.99 in 24 hours, of which 10.00 are spent'],
  [{ per_counterparty_minor: 900 }, '12:00', undefined],
  [{ per_counterparty_minor: 899 }, '12:00', 'permits 8.99 in 24 hours with one agent, of which 3.00 are spent'],
  [{ per_order_minor: 0 }, '12:00', 'permits 0.00'],
  [{ hours: '08:00-20:00' }, '08:00', undefined],
  [{ hours: '08:00-20:00' }, '07:59', 'only in the hours 08:00-20:00'],
  [{ hours: '08:00-20:00' }, '20:00', 'only in the hours 08:00-20:00'],
  [{ hours: '22:00-06:00' }, '23:00', undefined],
  [{ hours: '22:00-06:00' }, '05:59', undefined],
  [{ hours: '22:00-06:00' }, '12:00', 'only in the hours 22:00-06:00'],
])('%j at %s: %s', (policy, time, exceeded) => {
  const found = findExceededLimit(policy, { ...order, at: at(time) });

  if (exceeded === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(exceeded);
});

it.each([
  ['{', 'it is not JSON'],
  ['[]', 'must be object'],
  ['{"per_order": 5}', 'per_order is unknown; did you mean "per_order_minor"?'],
  ['{"per_day_minor": "50"}', 'per_day_minor must be integer'],
  ['{"per_day_minor": -1}', 'per_day_minor must be >= 0'],
  ['{"hours": "8:00-20:00"}', 'hours must be two times such as "08:00-20:00"'],
])('refuses %s and says why', (text, fault) => {
  const folder = makeTestFolder();
  writeFileSync(join(folder, 'spending-policy.json'), text);

  expect(() => readSpendingPolicy(folder)).toThrow(
    expect.objectContaining({
      code: 'spending_policy_invalid',
      message: expect.stringContaining(fault),
      hint: expect.stringContaining('per_counterparty_minor'),
    }),
  );
});

it('there is no policy without a file', () => {
  expect(readSpendingPolicy(makeTestFolder())).toBeUndefined();
});
