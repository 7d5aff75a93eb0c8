import { expect, it } from 'vitest';
import { parseHttpDate } from './http-date.ts';

const now = Date.parse('2026-11-21T09:00:00Z');

it.each([
  ['Sat, 21 Nov 2026 09:00:30 GMT', '2026-11-21T09:00:30.000Z'],
  [' sat, 21 nov 2026 09:00:30 gmt ', '2026-11-21T09:00:30.000Z'],
  ['Sat, 21 Nov 2026 09:00:30 UTC', '2026-11-21T09:00:30.000Z'],
  ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['Saturday, 21-Nov-26 09:00:30 GMT', '2026-11-21T09:00:30.000Z'],
  ['Tuesday, 01-Jan-76 00:00:00 GMT', '2076-01-01T00:00:00.000Z'],
  ['Friday, 01-Jan-77 00:00:00 GMT', '1977-01-01T00:00:00.000Z'],
  ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
  ['Sat Nov 21 09:00:30 2026', '2026-11-21T09:00:30.000Z'],
])('reads %j in UTC', (header, expected) => {
  expect(new Date(parseHttpDate(header, now) ?? Number.NaN).toISOString()).toBe(expected);
});

it.each([
  '',
  'soon',
  '-5',
  '2026-11-21T09:00:30Z',
  'Sat, 99 Nov 2026 09:00:30 GMT',
  'Sat, 21 Nov 2026 09:00:30 CET',
  '21 Nov 2026',
])('takes %j for no date', (header) => {
  expect(parseHttpDate(header, now)).toBeUndefined();
});
