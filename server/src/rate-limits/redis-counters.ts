import { reportAvailability } from '../platform/availability.ts';
import type { Logger } from '../platform/logger.ts';
import { makeRedisClient } from '../platform/redis-client.ts';
import { type Counters, windowId } from './counters.ts';
import type { Window } from './rate-limit.ts';

// Counting and dating a window is one step; otherwise two instances could count
// into windows with different ends. Redis expires the windows.
const countScript = `
local count = redis.call('incrby', KEYS[1], ARGV[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {count, left}`;

/**
 * Counters in Redis or Valkey. While it is unreachable, `fallback` counts: the
 * limits then begin anew, and no request is refused for that.
 */
export function redisCounters(url: string, fallback: Counters, log: Logger): Counters & { close(): Promise<void> } {
  const report = reportAvailability(log, {
    lost: 'Redis does not answer; the rate limits are counted without it',
    restored: 'Redis counts rate limits again',
  });
  const client = makeRedisClient(url, report);
  const connecting = client.connect().catch((error: unknown) => report(false, error));

  return {
    async count(counts, now) {
      try {
        const replies = await Promise.all(
          counts.map((count) =>
            client.eval(countScript, {
              keys: [`agent-platform:rate:${windowId(count)}`],
              arguments: [String(count.amount), String(count.limit.windowMs)],
            }),
          ),
        );
        report(true);
        return replies.map((reply) => readReply(reply, now));
      } catch (error) {
        report(false, error);
        return await fallback.count(counts, now);
      }
    },
    sweep: (now) => fallback.sweep(now),
    async close() {
      client.destroy();
      await connecting;
    },
  };
}

function readReply(reply: unknown, now: Date): Window {
  const [count, leftMs]: unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof count !== 'number' || typeof leftMs !== 'number')
    throw new Error('Redis returned a value that is not a count.');
  return { count, endsAtMs: now.getTime() + leftMs };
}
