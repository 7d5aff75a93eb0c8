import { makeAvailabilityReporter } from '../platform/availability.ts';
import { minute } from '../platform/clock.ts';
import { openRedis, type RedisClient } from '../platform/connections/redis-connection.ts';
import type { Logger } from '../platform/logger.ts';
import { type RateLimitCounters, windowId } from './counters.ts';
import type { RateWindow } from './rate-limit.ts';

// Increments a window and sets its end in one step; otherwise two instances could use windows with different ends.
// Redis expires the windows.
const countScript = `
local count = redis.call('incrby', KEYS[1], ARGV[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {count, left}`;

/**
 * Counters in Redis or Valkey. While Redis cannot count, `fallback` does: limits then start from zero, and no request
 * is refused or delayed.
 */
export function makeRedisCounters(
  url: string,
  fallback: RateLimitCounters,
  log: Logger,
): RateLimitCounters & { close(): Promise<void> } {
  const report = makeAvailabilityReporter(log, {
    lost: 'Redis is unavailable; rate limits are counted without it',
    restored: 'Redis is available; it counts rate limits again',
  });
  // Only an increment proves that Redis is neither full nor a replica.
  const redis = openRedis({ url, report, probe: (client) => countIn(client, 'probe', 0, minute) });

  return {
    async count(counts, now) {
      try {
        const replies = await redis.run((client) =>
          Promise.all(counts.map((count) => countIn(client, windowId(count), count.amount, count.limit.windowMs))),
        );
        return replies.map((reply) => readReply(reply, now));
      } catch {
        return await fallback.count(counts, now);
      }
    },
    sweep: (now) => fallback.sweep(now),
    close: () => redis.close(),
  };
}

function countIn(client: RedisClient, id: string, amount: number, windowMs: number): Promise<unknown> {
  const keys = [`agent-platform:rate:${id}`];
  return client.eval(countScript, { keys, arguments: [String(amount), String(windowMs)] });
}

function readReply(reply: unknown, now: Date): RateWindow {
  const [count, leftMs]: unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof count !== 'number' || typeof leftMs !== 'number')
    throw new Error('Redis returned a value that is not a count.');
  return { count, endsAtMs: now.getTime() + leftMs };
}
