import { setTimeout as wait } from 'node:timers/promises';
import { freshDatabase, type RedisServer, startLoadAdjustedTimer, startRedis } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../testing/tcp-proxy.ts';
import {
  captureLog,
  expectRefusal,
  type RegisteredAgent,
  startTestServer,
  type TestServer,
} from '../../testing/test-server.ts';
import { makeMemoryCounters } from './counters.ts';
import { makeRedisCounters } from './redis-counters.ts';

let redis: RedisServer;
let proxy: TcpProxy;
let one: TestServer;
let other: TestServer;
beforeAll(async () => {
  redis = await startRedis();
  const url = await freshDatabase(inject('postgresUrl'));
  proxy = await startTcpProxy(redis.url);
  const env = { REDIS_URL: proxy.url, PLATFORM_WRITES_PER_MINUTE: '40' };
  one = await startTestServer(env, url);
  other = await startTestServer(env, url);
});
afterAll(async () => {
  await one.close();
  await other.close();
  await proxy.close();
  await redis.stop();
});

const write = (server: TestServer, { token }: RegisteredAgent) =>
  server.request('PATCH', '/api/v1/bots/me', { token, body: {} });

/** Returns undefined if the database has not counted any write of the agent. */
async function countStored({ id }: RegisteredAgent): Promise<number | undefined> {
  const row = await one.store.read((reader) =>
    reader.selectFrom('rate_windows').where('key', '=', `writes:${id}`).select('count').executeTakeFirst(),
  );
  return row?.count;
}

/** Counts the occurrences of a message in a server's log after the first `since` characters. */
const timesLogged = (server: TestServer, since: number, message: string) =>
  server.logged().slice(since).split(message).length - 1;

async function restart(): Promise<void> {
  redis = await startRedis(Number(new URL(redis.url).port));
}

const faults = [
  ['killed', () => redis.stop(), restart],
  ['frozen', () => redis.freeze(), () => redis.thaw()],
  ['slow', () => proxy.slowDown(1_000), () => proxy.thaw()],
  ['full', () => redis.command('config set maxmemory 1'), () => redis.command('config set maxmemory 0')],
  ['a replica', () => redis.command('replicaof 127.0.0.1 1'), () => redis.command('replicaof no one')],
] as const;

describe('limits in Redis', () => {
  it('are shared by two servers and exact, and not counted in the database', async () => {
    const timesAbsent = () => [one, other].map((server) => timesLogged(server, 0, 'Redis is unavailable')).join();
    // On a busy machine Redis may miss its deadline, and the database counts instead. The test then retries.
    for (const handle of ['alice', 'alina', 'alma']) {
      const before = timesAbsent();
      const alice = await one.register(handle);
      const writes = Array.from({ length: 60 }, (_, index) => write(index % 2 === 0 ? one : other, alice));
      const answers = Map.groupBy(await Promise.all(writes), ({ status }) => status);
      if (timesAbsent() !== before) continue;

      expect([answers.get(200)?.length, answers.get(429)?.length]).toEqual([40, 20]);
      const refused = answers.get(429)?.[0];
      if (refused !== undefined) expectRefusal(refused, 'write_limited');
      expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(await countStored(alice)).toBe(undefined);
      return;
    }
    throw new Error('Redis missed its deadline in every attempt.');
  });

  it.each(faults)(
    'are counted by the database within 2 s after Redis is %s, and by Redis again later',
    async (...fault) => {
      const [name, begin, end] = fault;
      const agent = await one.register(`agent_${name.replace(' ', '_')}`);
      expect((await write(one, agent)).status).toBe(200);
      const since = [one.logged().length, other.logged().length] as const;
      await begin();
      const quietMs = startLoadAdjustedTimer();
      const statuses = [];
      for (const server of [one, other, one]) statuses.push((await write(server, agent)).status);

      expect(quietMs()).toBeLessThan(2_000);
      expect(statuses).toEqual([200, 200, 200]);
      expect(await countStored(agent)).toBe(3);
      await end();
      for (const [server, start] of [
        [one, since[0]],
        [other, since[1]],
      ] as const) {
        await expect.poll(() => timesLogged(server, start, 'Redis is available; it counts rate limits again')).toBe(1);
        expect(timesLogged(server, start, 'Redis is unavailable')).toBe(1);
      }
      expect((await write(one, agent)).status).toBe(200);
      expect(await countStored(agent)).toBe(3);
    },
  );

  it('are counted by a Redis whose first response is late, without a warning', async () => {
    const late = await startTcpProxy(redis.url);
    late.freeze();
    const { log, logged } = captureLog('info');
    const own = { ...makeMemoryCounters(), count: () => Promise.reject(new Error('counted without Redis')) };
    const counters = makeRedisCounters(late.url, own, log);
    // Longer than the maximum age of any other connection.
    await wait(1_500);
    late.thaw();
    const limit = { name: 'late', max: 3, windowMs: 60_000 };
    const count = () => counters.count([{ limit, key: 'alice', amount: 1 }], new Date()).catch(() => []);
    await expect.poll(count, { timeout: 9_000 }).toHaveLength(1);
    await counters.close();
    await late.close();

    expect(logged()).toBe('');
  });

  it('are not counted by a Redis that responds, but is full', async () => {
    const full = await startRedis();
    await full.command('config set maxmemory 1');
    const { log, logged } = captureLog('info');
    const counters = makeRedisCounters(full.url, makeMemoryCounters(), log);
    const limit = { name: 'tries', max: 3, windowMs: 60_000 };
    for (const count of [1, 2])
      expect(await counters.count([{ limit, key: 'alice', amount: 1 }], new Date())).toMatchObject([{ count }]);
    // A reconnection would follow after 100 ms.
    await wait(400);
    await counters.close();
    await full.stop();

    expect(logged().match(/"msg":"[^"]+/g)).toEqual([expect.stringContaining('Redis is unavailable')]);
  });
});
