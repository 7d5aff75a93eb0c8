import { defaultLimits, judgeServer, type Report, runOptions, unpacedLimits } from '@agent-platform/conformance';
import { describe, expect, it } from 'vitest';
import { allChecks } from '../../src/areas/all-checks.ts';
import { allObservations } from '../../src/areas/all-observations.ts';
import { costNames, noCost } from '../../src/context/budget/cost.ts';
import { costOf } from '../../src/context/check.ts';
import { startForeignTraffic } from '../foreign/traffic.ts';
import { skipWaits } from '../skipped-waits.ts';
import { startIndependentServer } from './start-independent-server.ts';

/** Judges the independent server in a whole run with all hooks, during foreign traffic. */
async function judge() {
  const server = await startIndependentServer();
  const traffic = await startForeignTraffic(server.url);
  try {
    const report = await judgeServer(
      runOptions(server.url, { ...server.means, limits: unpacedLimits, eventSeconds: 3 }),
    );
    // Requirements that the run could not judge are not failures.
    const accused = report.checks.filter(
      ({ verdict }) => !['passed', 'not applicable', 'not judged'].includes(verdict),
    );
    const passed = report.requirements.filter(({ verdict }) => verdict === 'passed').length;
    const announced = new Map(
      [...allChecks, ...allObservations].map((step) => [step.id, costOf([step], undefined, false)]),
    );
    const surprises = [...report.checks, ...report.observations].filter(({ id, cost }) =>
      costNames.some((name) => cost[name] > (announced.get(id) ?? noCost)[name]),
    );
    return {
      surprises: surprises.map(({ id, cost }) => ({ id, cost })),
      accused: accused.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`),
      passed,
      excesses: findExcesses(report),
      counts: await traffic.stop(),
    };
  } finally {
    await traffic.stop();
    await server.stop();
  }
}

/** Lists the counts that exceeded the plan of the run. */
function findExcesses({ plan, spent }: Report): readonly string[] {
  const { requests: _, limited: __, ...counts } = spent;
  const planned = { ...plan.cost, registrations: plan.registrations, waitedMs: plan.minutes * 60_000 };
  const names = Object.keys(counts) as (keyof typeof counts)[];
  return names.filter((name) => counts[name] > planned[name]);
}

describe('a server that was written only from the specification', () => {
  it('fails nothing with concurrent traffic of other agents', async () => {
    const { accused, passed, counts, surprises, excesses } = await judge();

    expect(accused).toEqual([]);
    // `surprises` has the checks that cost more than they declare.
    expect(surprises).toEqual([]);
    expect(excesses).toEqual([]);
    expect(passed).toBeGreaterThan(340);
    expect(counts.failures).toBe(0);
    expect(Math.min(counts.posts, counts.contacts, counts.orders)).toBeGreaterThan(20);
  });

  it('makes a paced run wait no longer than planned', async () => {
    const server = await startIndependentServer();
    const limits = { ...defaultLimits, registrationsPerHour: 0 };
    const only = ['AP-SEARCH', 'AP-POST', 'AP-CONTACT', 'AP-MESSAGE'];
    const options = runOptions(server.url, { ...server.means, only, limits });
    const report = await skipWaits((watch, world) => judgeServer(options, watch, undefined, world)).finally(() =>
      server.stop(),
    );

    expect(findExcesses(report)).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(report.spent.waitedMs).toBeGreaterThan((report.plan.minutes * 60_000) / 3);
  });
});
