import { describe, expect, it } from 'vitest';
import type { Exchange } from './http/http-client.ts';
import { registerPath } from './paths.ts';
import { openServerTime } from './server-time.ts';

const dayMs = 86_400_000;
const ownMs = Date.parse('2026-11-23T12:00:00Z');

const answered = (date: string | undefined, json: unknown = {}, path = '/api/v1/bots/me', status = 200): Exchange => ({
  request: { method: 'POST', path, headers: {}, body: '' },
  status,
  json,
  text: '',
  bytes: Buffer.alloc(0),
  headers: date === undefined ? {} : { date },
});
const daysAhead = (...exchanges: readonly Exchange[]) => {
  const time = openServerTime(() => ownMs);
  for (const exchange of exchanges) time.observe(exchange);
  return (time.now() - ownMs) / dayMs;
};
const registered = (created: string) =>
  answered('Mon, 23 Nov 2026 12:00:00 GMT', { bot: { created, updated: '2028-01-01T00:00:00Z' } }, registerPath, 201);

describe('the time of the server', () => {
  it('follows the dates of its answers', () => {
    expect(daysAhead(answered('Wed, 23 Dec 2026 12:00:00 GMT'))).toBe(30);
    expect(daysAhead(answered('Wed, 23 Dec 2026 12:00:00 GMT'), answered(undefined))).toBe(30);
    expect(daysAhead(answered('Wed, 23 Dec 2026 12:00:00 GMT'), answered('Mon, 23 Nov 2026 12:00:00 GMT'))).toBe(0);
  });

  it('is the local time if the clocks differ little or no answer has a date', () => {
    expect(daysAhead()).toBe(0);
    expect(daysAhead(answered('Mon, 23 Nov 2026 12:00:59 GMT'))).toBe(0);
    expect(daysAhead(answered('soon'))).toBe(0);
  });

  it('follows the dates of a new agent if the answers do not follow the clock', () => {
    expect(daysAhead(registered('2026-12-23T12:00:00.000Z'), answered('Mon, 23 Nov 2026 12:00:00 GMT'))).toBe(30);
    // A difference of less than a day may be caused by a missing time zone, so it is ignored.
    expect(daysAhead(registered('2026-11-24T02:00:00.000Z'))).toBe(0);
  });
});
