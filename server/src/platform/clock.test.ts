import { expect, it } from 'vitest';
import { endOfLifetime } from './clock.ts';

const from = new Date('2026-11-21T09:03:24.250Z');

it.each([
  [1, '2026-11-22T09:03:24.250Z'],
  [90, '2027-02-19T09:03:24.250Z'],
  [0, '9999-12-31T23:59:59.999Z'],
  [36_500_000, '9999-12-31T23:59:59.999Z'],
])('the end of a lifetime of %i days', (days, end) => {
  expect(endOfLifetime(from, days).toISOString()).toBe(end);
});
