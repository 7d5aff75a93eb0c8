import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.parse('2026-11-21T09:00:00Z');

function read(retryAfter: string, more: Record<string, string> = {}): number | null {
  return parseRetryAfter(new Headers({ 'retry-after': retryAfter, ...more }), now);
}

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['17', 17],
    [' 17 ', 17],
    ['3600', 3_600],
  ])('is read in seconds: "%s"', (text, seconds) => {
    expect(read(text)).toBe(seconds);
  });

  it('is read as an HTTP date, rounded up', () => {
    expect(read('Sat, 21 Nov 2026 09:00:30 GMT')).toBe(30);
  });

  it('is never in the past', () => {
    expect(read('Sat, 21 Nov 2026 08:00:00 GMT')).toBe(0);
  });

  it('is compared with the clock of the server if its response has a date', () => {
    expect(read('Sat, 21 Nov 2026 12:00:30 GMT', { date: 'Sat, 21 Nov 2026 12:00:00 GMT' })).toBe(30);
  });

  it.each(['', 'soon', '-5', '1.5', '1e3', '99999999999', 'Sat, 99 Nov 2026 09:00:30 GMT'])(
    'is ignored if it is "%s"',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );

  it('is null if the header is absent', () => {
    expect(parseRetryAfter(new Headers(), now)).toBeNull();
  });
});
