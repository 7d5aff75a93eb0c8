import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runOperatorCommand } from '@agent-platform/testing/operator';
import { Client } from 'pg';
import type { SeededRandom } from '../../order-model/random.ts';
import type { Cluster } from '../cluster.ts';

/** Ends a fault; resolves when everything that the fault disabled works again. */
type End = () => Promise<void> | void;

interface Fault {
  /** The component that no other fault may use at the same time. */
  readonly uses: 'instances' | 'postgres' | 'redis' | 's3' | 'network' | 'clock';
  /** Whether the fault affects a single instance. */
  readonly isOfInstance: boolean;
  /** The minimum and maximum duration. */
  readonly seconds: readonly [number, number];
  /** Patterns for the causes of failures that the fault explains. */
  readonly explains: readonly RegExp[];
  readonly begin: (cluster: Cluster, instance: number, random: SeededRandom) => Promise<End> | End;
}

const advancesMax = 10;
const advanceEveryMs = 3_000;

const unavailable = [/^unavailable$/];
/** No instance is ready, or the load balancer sends requests to one that is not. */
const noInstance = [/^50[234] of the proxy$/, /^Unexpected server response: 50[234]$/];
const brokenConnection = [/^connection lost$/, /^closed with 1006$/, /^socket hang up$/, /^read ECONNRESET$/];
/** The server closes an event connection that it cannot serve at present. */
const closedByServer = [/^closed with 1013$/];
/** The slots of an instance that has ended or cannot reach the database remain counted for a while. */
const slotsTaken = [/^closed with 4429$/];

const database = [...unavailable, ...noInstance, ...closedByServer, ...slotsTaken];
const killed = [...brokenConnection, ...noInstance, ...slotsTaken];

function ofLink(name: 'postgres' | 'redis' | 's3', how: 'cut' | 'freeze' | 'slow', explains: readonly RegExp[]): Fault {
  return {
    uses: 'network',
    isOfInstance: true,
    seconds: [5, 15],
    explains,
    begin: ({ links }, instance, random) => {
      const link = links[instance]?.[name];
      if (how === 'slow') link?.slowDown(20 + random.below(180));
      else link?.[how]();
      return () => link?.thaw();
    },
  };
}

/** A fault without causes in `explains` must not affect any client. */
const faults = {
  kill: {
    uses: 'instances',
    isOfInstance: true,
    seconds: [1, 8],
    explains: killed,
    begin: async (cluster, instance) => {
      await cluster.end(instance, 'SIGKILL');
      return () => cluster.start(instance);
    },
  },
  drain: {
    uses: 'instances',
    isOfInstance: true,
    seconds: [1, 3],
    // Event connections move to other instances, and no request fails.
    explains: closedByServer,
    begin: async (cluster, instance) => {
      const code = await cluster.end(instance, 'SIGTERM');
      if (code !== 0) throw new Error(`instance ${instance + 1} ended its drain with ${code}`);
      return () => cluster.start(instance);
    },
  },
  'postgres-restart': {
    uses: 'postgres',
    isOfInstance: false,
    seconds: [0, 3],
    explains: database,
    begin: async ({ postgres }) => {
      await postgres.end('SIGINT');
      return () => postgres.start();
    },
  },
  'postgres-crash': {
    uses: 'postgres',
    isOfInstance: false,
    seconds: [0, 3],
    explains: database,
    begin: async ({ postgres }) => {
      await postgres.end('SIGQUIT');
      return () => postgres.start();
    },
  },
  'postgres-freeze': {
    uses: 'postgres',
    isOfInstance: false,
    seconds: [4, 15],
    explains: database,
    begin: ({ postgres }) => {
      postgres.freeze();
      return () => postgres.thaw();
    },
  },
  'postgres-read-only': {
    uses: 'postgres',
    isOfInstance: false,
    seconds: [4, 15],
    explains: database,
    begin: async ({ databaseUrl }) => {
      await setReadOnly(databaseUrl, 'on');
      return () => setReadOnly(databaseUrl, 'off');
    },
  },
  'redis-freeze': {
    uses: 'redis',
    isOfInstance: false,
    seconds: [4, 15],
    explains: [],
    begin: ({ redis }) => {
      redis.freeze();
      return () => void redis.thaw();
    },
  },
  'redis-kill': {
    uses: 'redis',
    isOfInstance: false,
    seconds: [3, 10],
    explains: [],
    begin: async ({ redis }) => {
      await redis.stop();
      return () => redis.start();
    },
  },
  's3-freeze': {
    uses: 's3',
    isOfInstance: false,
    seconds: [4, 15],
    explains: unavailable,
    begin: ({ s3 }) => {
      s3.freeze();
      return () => void s3.thaw();
    },
  },
  'postgres-cut': ofLink('postgres', 'cut', database),
  'postgres-link-freeze': ofLink('postgres', 'freeze', database),
  'postgres-slow': ofLink('postgres', 'slow', database),
  'redis-cut': ofLink('redis', 'cut', []),
  'redis-link-freeze': ofLink('redis', 'freeze', []),
  'redis-slow': ofLink('redis', 'slow', []),
  's3-cut': ofLink('s3', 'cut', unavailable),
  's3-link-freeze': ofLink('s3', 'freeze', unavailable),
  's3-slow': ofLink('s3', 'slow', []),
  'clock-advance': {
    uses: 'clock',
    isOfInstance: true,
    seconds: [0, 0],
    explains: [],
    // Moves the test clock of all instances, but by less than the lifetime of an unattached file.
    begin: async ({ dataDir }, instance, random) => {
      await advanceClock(dataDir(instance), 60 + random.below(3_600));
      return () => undefined;
    },
  },
  'clock-wrong': {
    uses: 'clock',
    isOfInstance: true,
    seconds: [10, 25],
    explains: [],
    begin: (cluster, instance, random) => {
      const day = 86_400_000;
      cluster.moveClock(instance, random.pick([100 * day, -100 * day, 30_000]));
      return () => cluster.moveClock(instance, 0);
    },
  },
  'disk-full': {
    uses: 'instances',
    isOfInstance: true,
    seconds: [10, 20],
    explains: unavailable,
    begin: ({ dataDir }, instance) => {
      const file = join(dataDir(instance), 'full');
      fillDisk(file);
      return () => rmSync(file);
    },
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as readonly FaultName[];

export const getFault = (name: FaultName): Fault => faults[name];

/** Retries while the instance or the database is unavailable. */
async function advanceClock(dataDir: string, seconds: number): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await runOperatorCommand(dataDir, 'clock', 'advance', String(seconds));
      return;
    } catch (error) {
      if (attempts === advancesMax) throw error;
      await wait(advanceEveryMs);
    }
  }
}

/** Sets the mode of all new transactions, including those of open sessions. */
async function setReadOnly(databaseUrl: string, mode: 'on' | 'off'): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`alter system set default_transaction_read_only = ${mode}`);
  await client.query('select pg_reload_conf()');
  await client.end();
}

function fillDisk(file: string): void {
  const block = Buffer.alloc(1024 * 1024);
  try {
    for (;;) writeFileSync(file, block, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
