import { describe, expect, it } from 'vitest';
import { formatCredits, parseCredits } from './credits.ts';

describe('formatCredits', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [-5, '-0.05'],
    [100, '1.00'],
    [1_250, '12.50'],
    [-110, '-1.10'],
    [1_000_000_000_000, '10000000000.00'],
    [Number.MAX_SAFE_INTEGER, '90071992547409.91'],
    [Number.MIN_SAFE_INTEGER, '-90071992547409.91'],
  ])('writes %d minor units as %s', (minor, text) => {
    expect(formatCredits(minor)).toBe(text);
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %d', (minor) => {
    expect(() => formatCredits(minor)).toThrow('safe integers in minor units');
  });
});

describe('parseCredits', () => {
  it.each([
    ['0', 0],
    ['12', 1_200],
    ['12.5', 1_250],
    ['12.05', 1_205],
    ['0.29', 29],
    ['1.15', 115],
    ['0012.50', 1_250],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
  ])('reads %s as %d minor units', (text, minor) => {
    expect(parseCredits(text)).toBe(minor);
  });

  it.each(['', '.', '12.', '.5', '12.505', '-1', '+1', '1e3', '1,50', '1 000', ' 1', '٣', '0x10', '90071992547409.92'])(
    'refuses %j',
    (text) => {
      expect(() => parseCredits(text)).toThrow('not an amount of test credits');
    },
  );

  it('parses what formatCredits returns', () => {
    for (let minor = 0; minor < 100_000; minor += 7) expect(parseCredits(formatCredits(minor))).toBe(minor);
  });
});
