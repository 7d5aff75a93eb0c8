import { createClient } from '@redis/client';
import type { Logger } from '../platform/logger.ts';
import { type Counters, windowId } from './counters.ts';
import type { Window } from './rate-limit.ts';

// Counting and dating a window is one step, or two instances could count into
// windows of different ends. Redis keeps the time and forgets what has ended.
const countScript = `
local count = redis.call('incrby', KEYS[1], ARGV[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {count, left}`;

const commandTimeoutMs = 1_000;
const reconnectMaxMs = 2_000;

/** Counters in Redis or Valkey that also can be let go of. */
export interface RedisCounters extends Counters {
  close(): Promise<void>;
}

/**
 * Counters in Redis or Valkey. While it cannot be reached, `fallback` counts:
 * the limits then begin anew, and nobody is turned away for it.
 */
export function redisCounters(url: string, fallback: Counters, log: Logger): RedisCounters {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: commandTimeoutMs },
    socket: { reconnectStrategy: (retries) => Math.min(reconnectMaxMs, 50 * 2 ** Math.min(retries, 6)) },
  });
  let isAnswering = true;
  const report = (answers: boolean, error?: unknown) => {
    if (answers === isAnswering) return;
    isAnswering = answers;
    if (answers) log.info('Redis counts rate limits again');
    else
      log.warn(
        { cause: error instanceof Error ? error.message : String(error) },
        'Redis does not answer; the rate limits are counted without it',
      );
  };
  client.on('error', (error: unknown) => report(false, error));
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
