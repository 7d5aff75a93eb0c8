import { describe, expect, it } from 'vitest';
import type { StreamEnding } from '../transport/call-options.ts';
import { decideReconnect } from './reconnect.ts';

const closed = (code: number): StreamEnding => ({ kind: 'closed', code });
const refused = (status: number, retryAfterSeconds: number | null = null): StreamEnding => ({
  kind: 'refused',
  status,
  retryAfterSeconds,
});
const lost: StreamEnding = { kind: 'lost' };

describe('after the end of a connection', () => {
  it.each<[string, StreamEnding, object]>([
    ['one that broke is made again', lost, { action: 'reconnect', waitMs: 250 }],
    ['one that was closed in peace too', closed(1000), { action: 'reconnect', waitMs: 250 }],
    ['a frame too large is not the end', closed(1009), { action: 'reconnect', waitMs: 250 }],
    ['an unknown code is not the end', closed(4999), { action: 'reconnect', waitMs: 250 }],
    ['a limit asks for more patience', closed(4429), { action: 'reconnect', waitMs: 2_500 }],
    ['an overload or a restart too', closed(1013), { action: 'reconnect', waitMs: 2_500 }],
    ['a broken protocol stops', closed(4400), { action: 'stop', closeCode: 4400 }],
    ['a suspended agent stops', closed(4403), { action: 'stop', closeCode: 4403 }],
    ['a token that ended is renewed at once', closed(4401), { action: 'renew-token', waitMs: 0 }],
    ['HTTP 401 means the same', refused(401), { action: 'renew-token', waitMs: 0 }],
    ['HTTP 403 means 4403', refused(403), { action: 'stop', closeCode: 4403 }],
    ['HTTP 429 means 4429', refused(429), { action: 'reconnect', waitMs: 2_500 }],
    ['and its Retry-After counts', refused(429, 20), { action: 'reconnect', waitMs: 20_000 }],
    ['but not for days', refused(503, 86_400), { action: 'reconnect', waitMs: 300_000 }],
    ['a proxy without its server is waited for', refused(502), { action: 'reconnect', waitMs: 250 }],
    ['an address that is no stream is given up', refused(404), { action: 'give-up' }],
    ['a redirect is given up', refused(308), { action: 'give-up' }],
  ])('%s', (_, ending, decision) => {
    expect(decideReconnect(ending, 0, 0)).toEqual(decision);
  });

  it('delays double up to a minute, and half of each delay is random', () => {
    const waits = (random: number) =>
      [0, 1, 2, 6, 7, 8, 1_000].map((failures) => decideReconnect(lost, failures, random)).map(waitOf);

    expect(waits(0)).toEqual([250, 500, 1_000, 16_000, 30_000, 30_000, 30_000]);
    expect(waits(1)).toEqual([500, 1_000, 2_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('the longer delays double up to five minutes', () => {
    expect([0, 1, 5, 6, 1_000].map((failures) => waitOf(decideReconnect(closed(4429), failures, 1)))).toEqual([
      5_000, 10_000, 160_000, 300_000, 300_000,
    ]);
  });

  it('a new token that is also refused does not cause a busy loop', () => {
    expect(waitOf(decideReconnect(closed(4401), 1, 0))).toBe(500);
  });
});

function waitOf(decision: ReturnType<typeof decideReconnect>): number {
  if (!('waitMs' in decision)) throw new Error(`It does not wait: ${decision.action}.`);
  return decision.waitMs;
}
