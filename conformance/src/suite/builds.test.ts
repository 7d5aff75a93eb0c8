import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildMutants } from '../../testing/mutants/build-mutants.ts';
import { eventBuilds } from '../../testing/mutants/event-builds.ts';
import { limitBuilds } from '../../testing/mutants/limit-builds.ts';
import { tradeBuilds } from '../../testing/mutants/trade-builds.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../../testing/reference-server.ts';
import { startFaulty } from '../../testing/start-faulty.ts';
import { allChecks } from '../checks/all-checks.ts';
import { allObservations } from '../checks/all-observations.ts';
import { costNames, noCost } from '../context/cost.ts';
import { withoutPace } from '../context/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

let clean: ReferenceServer;

beforeAll(async () => {
  clean = await startReferenceServer(withoutLimits);
});

afterAll(async () => {
  await clean.stop();
});

// Those of credits and orders are found out beside the other faults of these, with agents that have credits,
// those of events beside theirs, and those of limits where a minute takes no time.
const elsewhere = [...tradeBuilds, ...eventBuilds, ...limitBuilds];
const others = buildMutants.filter((mutant) => !elsewhere.includes(mutant));

describe('a reference server with a faulty part is found out where it', () => {
  it.each(others)('$name', async (mutant) => {
    const only = allChecks.filter(({ id }) => mutant.kills.includes(id)).flatMap(({ covers }) => covers);
    const running = await startFaulty(clean, mutant);
    try {
      const report = await judgeServer(
        runOptions(running.baseUrl, {
          ...clean.means,
          wsUrl: running.wsUrl,
          only,
          eventSeconds: 1,
          limits: withoutPace,
        }),
      );
      const failed = report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
      expect(failed).toEqual(expect.arrayContaining([...mutant.kills]));
      expect(report.checks.filter(({ verdict }) => verdict === 'error')).toEqual([]);
    } finally {
      await running.close();
    }
  });

  it('has none: what was broken is whole again afterwards, and no check costs more than it said', async () => {
    const running = await startFaulty(clean, { name: 'does nothing else', kills: [], build: () => ({}) });
    try {
      const report = await judgeServer(
        runOptions(running.baseUrl, { ...clean.means, wsUrl: running.wsUrl, limits: withoutPace }),
      );
      expect(report.checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
      const announced = new Map(
        [...allChecks, ...allObservations].map(({ id, cost = {} }) => [id, { ...noCost, ...cost }]),
      );
      const surprises = [...report.checks, ...report.observations].filter(({ id, cost }) =>
        costNames.some((name) => cost[name] > (announced.get(id) ?? noCost)[name]),
      );
      expect(surprises.map(({ id, cost }) => ({ id, cost }))).toEqual([]);
    } finally {
      await running.close();
    }
  }, 300_000);
});
