import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tradeMutants } from '../../testing/mutants/all-mutants.ts';
import { tradeBuilds } from '../../testing/mutants/trade-builds.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../../testing/reference-server.ts';
import { type FaultyServer, startFaulty } from '../../testing/start-faulty.ts';
import { allChecks } from '../checks/all-checks.ts';
import { type HttpClient, openHttpClient } from '../context/http/http-client.ts';
import { withoutPace } from '../context/limits.ts';
import { type RunOptions, runOptions } from '../context/options.ts';
import { openPool, type Pool } from '../context/pool/pool.ts';
import { openRun, type Run } from '../context/run.ts';
import { ensureCredits } from '../fixtures/contacts/leases.ts';
import { readBalance } from '../fixtures/orders/ledger-check.ts';
import { orderParties } from '../fixtures/orders/ordering.ts';
import { runCheck } from './run-check.ts';

// So much that no check has to ask for more: a hook is a program, and programs take their time.
const purseMinor = 100_000;
const enoughMinor = 200;

let server: ReferenceServer;
let settled: Pool;
let wire: HttpClient;
let run: Run;

beforeAll(async () => {
  server = await startReferenceServer(withoutLimits);
  settled = openPool(undefined, server.url, () => new Date());
  wire = openHttpClient(server.url);
  run = openRun(optionsAt(server.url), wire, settled, () => undefined);
});

afterAll(async () => {
  wire.close();
  await server.stop();
});

function optionsAt(baseUrl: string): RunOptions {
  return runOptions(baseUrl, { ...server.means, limits: withoutPace });
}

/** The pool of two friends who have credits, as if the faulty server had registered them. */
function poolAt(baseUrl: string): Pool {
  const pool = openPool(undefined, baseUrl, () => new Date());
  for (const role of ['kept', 'partner'] as const) {
    const agent = settled.agent(role);
    if (agent !== undefined) pool.keep(agent, role);
  }
  pool.noteUsage(settled.usage());
  return pool;
}

/** Sees that the two have credits, which some faulty servers lose. */
async function settle(): Promise<void> {
  const { customer } = await orderParties(run);
  const { available } = await readBalance(run, customer);
  if (available < enoughMinor) await ensureCredits(run, customer, purseMinor);
}

async function verdictsAt(baseUrl: string, ids: readonly string[]) {
  const options = optionsAt(baseUrl);
  const pool = poolAt(baseUrl);
  const faultyWire = openHttpClient(baseUrl);
  const faultyRun = openRun(options, faultyWire, pool, () => undefined);
  const outcomes = [];
  for (const check of allChecks.filter(({ id }) => ids.includes(id))) {
    outcomes.push(await runCheck(check, faultyRun, pool, options));
  }
  faultyWire.close();
  return outcomes.map(({ id, verdict, reason }) => ({ id, verdict, reason }));
}

async function expectFound(faulty: FaultyServer): Promise<void> {
  await settle();
  const running = await startFaulty(server, faulty);
  try {
    const verdicts = await verdictsAt(running.baseUrl, faulty.kills);
    expect(verdicts.filter(({ verdict }) => verdict !== 'failed')).toEqual([]);
    expect(verdicts).toHaveLength(faulty.kills.length);
  } finally {
    await running.close();
  }
}

describe('a server that is faulty in credits and orders is found out where it', () => {
  it.each<FaultyServer>([...tradeMutants, ...tradeBuilds])('$name', expectFound, 60_000);
});
