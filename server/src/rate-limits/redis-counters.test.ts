import { freshDatabase, type Redis, startRedis } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectRefusal, startTestServer, type TestServer } from '../../testing/test-server.ts';

let redis: Redis;
let one: TestServer;
let other: TestServer;
beforeAll(async () => {
  redis = await startRedis();
  const url = await freshDatabase(inject('postgresUrl'));
  const env = { REDIS_URL: redis.url, PLATFORM_WRITES_PER_MINUTE: '40' };
  one = await startTestServer(env, url);
  other = await startTestServer(env, url);
});
afterAll(async () => {
  await one.close();
  await other.close();
  await redis.stop();
});

const write = (server: TestServer, token: string) => server.request('PATCH', '/api/v1/bots/me', { token, body: {} });

async function storedWindows(): Promise<number> {
  return (await one.store.read((reader) => reader.selectFrom('rate_windows').select('key').execute())).length;
}

describe('limits in Redis', () => {
  it('count together over two servers, exactly, and not in the database', async () => {
    const { token } = await one.register('alice');
    const writes = Array.from({ length: 60 }, (_, index) => write(index % 2 === 0 ? one : other, token));
    const answers = Map.groupBy(await Promise.all(writes), ({ status }) => status);

    expect([answers.get(200)?.length, answers.get(429)?.length]).toEqual([40, 20]);
    const refused = answers.get(429)?.[0];
    if (refused !== undefined) expectRefusal(refused, 'write_limited');
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(await storedWindows()).toBe(0);
  });

  it('are counted by the database while Redis is away, and by Redis again when it is back', async () => {
    const { token } = await one.register('bob');
    const port = Number(new URL(redis.url).port);
    await redis.stop();

    expect((await write(one, token)).status).toBe(200);
    expect(await storedWindows()).toBe(1);
    expect(one.logged()).toContain('Redis does not answer');
    redis = await startRedis(port);
    await expect
      .poll(async () => ((await write(one, token)).status === 200 ? one.logged() : ''), {
        timeout: 30_000,
        interval: 500,
      })
      .toContain('Redis counts rate limits again');
  });
});
