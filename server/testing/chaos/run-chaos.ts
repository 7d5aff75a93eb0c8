import { setTimeout as wait } from 'node:timers/promises';
import { runOperatorCommand } from '@agent-platform/testing/operator';
import { Client } from 'pg';
import { makeSeededRandom } from '../order-model/random.ts';
import type { Json } from '../test-server.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { makeFaultPlan } from './faults/fault-plan.ts';
import type { FaultName } from './faults/faults.ts';
import { injectFaults } from './faults/inject-faults.ts';
import { makeObservations, type Observations } from './observations.ts';
import { verifyRecords } from './verify.ts';
import {
  type ClientAttempt,
  type FaultEffect,
  findUnexplainedFailures,
  formatElapsedTime,
  measureFaultEffects,
} from './windows.ts';
import { type FriendPair, registerPairs } from './work/community.ts';
import { type EventSockets, openEventSockets } from './work/event-sockets.ts';
import { startMixedWork } from './work/start-work.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** The duration of the work, during which the faults occur. */
  readonly seconds: number;
  readonly instances: number;
  readonly sockets: number;
  readonly jobsPerSecond: number;
  readonly faults: readonly FaultName[];
  /** Multiplies the durations of faults and of the pauses between them. */
  readonly pace: number;
  readonly storage: 'swift' | 's3rver';
  readonly say: (line: string) => void;
  /** Called with the log of each instance process. */
  readonly keepLogs?: (logs: readonly string[]) => void;
}

export interface ChaosReport {
  readonly programs: string;
  readonly succeeded: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly events: number;
  readonly compared: number;
  readonly effects: readonly FaultEffect[];
  /** Failures that faults explain, or that occur on a busy machine even without a fault. */
  readonly refused: Readonly<Record<string, number>>;
  readonly warnings: Readonly<Record<string, number>>;
  /** Violations; the run passed if there are none. */
  readonly problems: readonly string[];
  /** Whether the machine paused this process for seconds. */
  readonly stoodStill: boolean;
}

const progressEveryMs = 30_000;
const quietWithinMs = 60_000;
const heldMs = 20_000;
/** Each agent of a pair has two connections. */
const socketsOfPair = 4;
/** The level of the log lines that inform an operator of errors. */
const errorLevel = 50;
const warnLevel = 40;

/** Compares the cluster's data with the acknowledged changes after the mixed work and the faults. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const observations = makeObservations();
  const cluster = await startCluster(options.instances, options.storage, observations);
  try {
    return await runOn(cluster, observations, options);
  } finally {
    observations.close();
    await cluster.stop();
    options.keepLogs?.(cluster.logs());
  }
}

async function runOn(cluster: Cluster, observations: Observations, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, seconds, instances, sockets: count, jobsPerSecond, pace, say } = options;
  const { balancer, databaseUrl, programs } = cluster;
  say(`${instances} instances on ${programs}`);
  const names = options.faults.filter((name) => name !== 'disk-full' || cluster.hasSmallDisks);
  if (names.length < options.faults.length) say('disk-full is left out: this user may not mount a small disk');
  const pairs = await registerPairs(balancer, databaseUrl, Math.ceil(count / socketsOfPair));
  const sockets = await openEventSockets(balancer, pairs, makeSeededRandom(seed), observations, heldMs * pace);
  say(`${2 * pairs.length} agents with ${sockets.count} event connections, ${jobsPerSecond} jobs a second`);

  const startedMs = observations.start();
  observations.onProblem((text) => say(`  problem: ${text}`));
  const work = startMixedWork({ address: balancer, pairs, seed, jobsPerSecond, observations });
  let reported = 0;
  const progress = setInterval(() => {
    const fresh = observations.attempts.slice(reported);
    reported = observations.attempts.length;
    const failures = Object.entries(countFailures(fresh)).map(([name, failed]) => `; ${failed} ${name}`);
    for (const text of findUnexplainedFailures(fresh, observations.windows, startedMs).slice(0, 5))
      say(`  unexplained: ${text}`);
    say(
      `${formatElapsedTime(performance.now() - startedMs)}   ${reported} requests, ${sockets.open()} sockets open${failures.join('')}`,
    );
  }, progressEveryMs);
  const plan = makeFaultPlan({ seed, seconds, names, instances, pace });
  await injectFaults({ cluster, plan, seed, observations, startedMs, say });
  await wait(Math.max(0, startedMs + 1_000 * seconds - performance.now()));
  await work.stop();
  clearInterval(progress);
  say(`${formatElapsedTime(performance.now() - startedMs)} work and faults have ended`);

  await settleEvents(sockets, pairs, databaseUrl, observations);
  const compared = await verifyRecords(balancer, pairs, sockets, observations.problem);
  await verifyByOperator(cluster, observations);
  sockets.close();
  const warnings = readLogs(cluster.logs(), observations);
  return report(observations, startedMs, { programs, compared, sockets, warnings });
}

/** Acknowledges every event, then opens new connections, on which no event may be sent again. */
async function settleEvents(
  sockets: EventSockets,
  pairs: readonly FriendPair[],
  databaseUrl: string,
  { problem }: Observations,
): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const count = async (rows: string) => {
    const { rows: found } = await database.query<{ count: number }>(`select count(*)::int count from ${rows}`);
    return found[0]?.count ?? 0;
  };
  const countWaiting = () => count('events');
  await sockets.acknowledgeAll();
  const isQuiet = await until(
    async () => sockets.open() === sockets.count && sockets.unacknowledged() === 0 && (await countWaiting()) === 0,
  );
  if (!isQuiet)
    problem(
      `${await countWaiting()} events wait, ${sockets.unacknowledged()} lack an ack, ${sockets.count - sockets.open()} connections are not open`,
    );
  await sockets.acknowledgeAll();
  await until(() => sockets.open() === sockets.count);
  const stored = await count("attachments where state = 'ready'");
  const uploaded = pairs.reduce((sum, { files }) => sum + files.length, 0);
  const left = pairs.reduce((sum, { leftUploads }) => sum + leftUploads, 0);
  if (stored < uploaded || stored > uploaded + left)
    problem(`${stored} files are stored, ${uploaded} uploads acknowledged, and ${left} left with an unknown outcome`);
  await database.end();
}

/** The checks of `doctor` that concern consistency; the others concern the machine. */
const doctorChecks: ReadonlySet<unknown> = new Set(['storage', 'database', 'schema', 'clock', 'files']);

async function verifyByOperator({ dataDir }: Cluster, { problem }: Observations): Promise<void> {
  await runOperatorCommand(dataDir(0), 'ledger', 'verify').catch((error: Error) =>
    problem(`ledger verify: ${error.message}`),
  );
  // The command exits with 1, because it reports the small disk.
  const { checks } = (await runOperatorCommand(dataDir(0), 'doctor').catch((error: { stdout: string }) =>
    JSON.parse(error.stdout),
  )) as { checks: readonly Json[] };
  for (const check of checks)
    if (doctorChecks.has(check['name']) && check['state'] !== 'ok') problem(`doctor: ${JSON.stringify(check)}`);
}

/** Counts warnings by text, and reports errors as problems. */
function readLogs(logs: readonly string[], { problem }: Observations): Readonly<Record<string, number>> {
  const warnings: Record<string, number> = {};
  for (const line of logs.flatMap((log) => log.split('\n'))) {
    if (!line.startsWith('{')) {
      if (line.trim() !== '') problem(`an instance wrote: ${line}`);
      continue;
    }
    const { level, msg } = parseLine(line);
    if (level >= errorLevel) problem(`an instance logged: ${line.slice(0, 600)}`);
    else if (level >= warnLevel) warnings[msg] = (warnings[msg] ?? 0) + 1;
  }
  return warnings;
}

function parseLine(line: string): { readonly level: number; readonly msg: string } {
  try {
    return JSON.parse(line) as { level: number; msg: string };
  } catch {
    // The last line of a killed process may be incomplete.
    return { level: 0, msg: '' };
  }
}

function report(
  { attempts, windows, problems, succeeded }: Observations,
  startedMs: number,
  rest: Pick<ChaosReport, 'programs' | 'compared' | 'warnings'> & { readonly sockets: EventSockets },
): ChaosReport {
  const { sockets, ...others } = rest;
  return {
    ...others,
    succeeded: succeeded(),
    connections: sockets.connections(),
    events: sockets.events(),
    effects: measureFaultEffects(attempts, windows),
    refused: countFailures(attempts),
    problems: [...problems, ...findUnexplainedFailures(attempts, windows, startedMs)],
    stoodStill: windows.some(({ name }) => name.startsWith('a standstill')),
  };
}

function countFailures(attempts: readonly ClientAttempt[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind, cause } of attempts)
    if (cause !== undefined) counts[`${kind}: ${cause}`] = (counts[`${kind}: ${cause}`] ?? 0) + 1;
  return counts;
}

/** Returns false if the condition does not become true in time. */
async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const startedMs = performance.now(); performance.now() - startedMs < quietWithinMs; ) {
    if (await holds()) return true;
    await wait(100);
  }
  return false;
}
