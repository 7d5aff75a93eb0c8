import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { tradeMutants } from '../../testing/mutants/all-mutants.ts';
import { tradeBuilds } from '../../testing/mutants/trade-builds.ts';
import { walkMutantOptions, walkMutants } from '../../testing/mutants/walk-mutants.ts';
import { openRunForTest } from '../../testing/open-step.ts';
import type { Mutant } from '../../testing/start-faulty.ts';
import { ensureCredits } from '../areas/contacts/agent-pairs.ts';
import { readBalance } from '../areas/orders/ledger-check.ts';
import { orderParties } from '../areas/orders/ordering.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import type { Run } from '../context/check.ts';
import { type HttpClient, openHttpClient } from '../context/http/http-client.ts';
import { runOptions } from '../context/options.ts';
import { openPool, type Pool } from '../context/pool/pool.ts';

// More credits than any check needs, because calling the hook for more starts a program, which is slow.
const fundsMinor = 100_000;
const enoughMinor = 200;

const server = startReferenceServerForTests();
let friends: Pool;
let http: HttpClient;
let run: Run;

beforeAll(() => {
  const { url, means } = server();
  friends = openPool(undefined, url);
  http = openHttpClient(url);
  run = openRunForTest(runOptions(url, { ...means, limits: unpacedLimits }), { http, pool: friends });
});

afterAll(() => http.close());

// Some faulty servers lose the credits of the two friends, so new ones are granted.
beforeEach(async () => {
  const { customer } = await orderParties(run);
  const { available } = await readBalance(run, customer);
  if (available < enoughMinor) await ensureCredits(run, customer, fundsMinor);
});

/** Makes a pool with two friends who have credits, as if the faulty server had registered them. */
function poolFor(baseUrl: string): Pool {
  const pool = openPool(undefined, baseUrl);
  for (const role of ['primary', 'partner'] as const) {
    const agent = friends.agent(role);
    if (agent !== undefined) pool.keep(agent, role);
  }
  pool.noteUsage(friends.usage());
  return pool;
}

describe('a server with a fault in credits and orders is detected where it', () => {
  const faultyServers: readonly Mutant[] = [...tradeMutants, ...tradeBuilds];
  it.each(selectTestedMutants(faultyServers))('$name', (faulty) => expectDetected(server(), faulty, { poolFor }));
});

describe('a server with a fault in a sequence of commands is detected where it', () => {
  it.each(selectTestedMutants(walkMutants))('$name', (faulty) =>
    expectDetected(server(), faulty, { poolFor, options: { ...server().means, ...walkMutantOptions } }),
  );
});
