import { describe, expect, it } from 'vitest';
import { Refusal } from '../platform/refusal.ts';
import { parseTime } from './parse-time.ts';

describe('a moment that an operator writes', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-01-31T18:00Z', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:05.5Z', '2027-01-31T18:00:05.500Z'],
    ['2027-01-31T18:00:00+02:00', '2027-01-31T16:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    expect(parseTime('--expires', text).toISOString()).toBe(moment);
  });

  it.each([
    ['without a zone', '2027-01-31T18:00:00'],
    ['that the calendar does not have', '2027-02-30'],
    ['that the calendar does not have, with a time', '2027-02-29T10:00:00Z'],
    ['that the clock does not have', '2027-01-31T25:00:00Z'],
    ['in words', 'tomorrow'],
    ['of another order', '31.01.2027'],
    ['that is empty', ''],
    ['beyond four digits of a year', '+012027-01-31'],
  ])('is refused %s', (_, text) => {
    expect(() => parseTime('--expires', text)).toThrow(Refusal);
  });
});
