import { type RedisServer, startLoadAdjustedTimer, startRedis } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureLog } from '../../testing/test-server.ts';
import { makeRedisChannel } from './redis-channel.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
});

describe('a channel over Redis', () => {
  it('drops messages that a frozen Redis does not accept, logs it once, and reconnects afterwards', async () => {
    const { log, logged } = captureLog('info');
    const heard: string[] = [];
    let missed = 0;
    const channel = makeRedisChannel(redis.url, log)(
      (text) => heard.push(text),
      () => {
        missed += 1;
      },
    );
    await expect.poll(() => missed).toBe(1);
    await channel.publish('before');
    await expect.poll(() => heard).toEqual(['before']);
    redis.freeze();
    const quietMs = startLoadAdjustedTimer();
    await expect(channel.publish('lost')).rejects.toThrow('Redis did not answer within');
    await expect(channel.publish('lost')).rejects.toThrow();

    expect(quietMs()).toBeLessThan(2_000);
    redis.thaw();
    await expect.poll(() => missed).toBe(2);
    await channel.publish('after');
    await expect.poll(() => heard).toContain('after');
    await channel.close();
    expect(logged().split('Redis notifications failed')).toHaveLength(2);
    expect(logged().split('Redis notifications resumed')).toHaveLength(2);
  });

  it('detects a frozen Redis even while it only listens', async () => {
    const { log, logged } = captureLog('info');
    let missed = 0;
    const channel = makeRedisChannel(redis.url, log)(
      () => undefined,
      () => {
        missed += 1;
      },
    );
    await expect.poll(() => missed).toBe(1);
    redis.freeze();
    await expect.poll(logged).toContain('Redis notifications failed');
    redis.thaw();
    await expect.poll(() => missed).toBe(2);
    await channel.close();
  });
});
