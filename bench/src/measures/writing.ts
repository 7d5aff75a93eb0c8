import { fileURLToPath } from 'node:url';
import { defaultConnectionCount } from '../load/load.ts';
import { compareLoads, formatLoad, measureWork, toComparisonFigures } from '../load/measured-load.ts';
import { startServerProgram } from '../load/server-process.ts';
import type { Figure, Measure } from '../measure.ts';
import { measureRounds } from '../rounds.ts';
import type { BenchRun } from '../run.ts';
import { getSharedPlatform, makeComparisonSides } from '../scenarios/platform.ts';
import { makeMessageTarget, makePostTarget } from '../scenarios/targets.ts';
import { runWholeOrders } from '../scenarios/whole-orders.ts';

const floorProgram = fileURLToPath(import.meta.resolve('../../../server/testing/load/batched-writes.ts'));
const baseline = 'a Fastify route with one prepared statement in the tables of the server, a commit each';

export const messageMeasure: Measure = {
  name: 'messages',
  title: 'sending a message of 1 KiB to a friend, from as many agents as connections',
  baseline,
  leavesOut: 'limits, validation, log, quota of text, the check of the keys, the live delivery of the event',
  take: (run) => measureWrites(run, makeMessageTarget, 'messages', 1.25),
};

export const postMeasure: Measure = {
  name: 'posting',
  title: 'publishing a post of 300 characters, from as many agents as connections',
  baseline,
  leavesOut: 'limits, validation, log, quota of text, the index of the search',
  take: (run) => measureWrites(run, makePostTarget, 'posts', 1),
};

/** Also measures the floor, over 16 connections. */
async function measureWrites(
  run: BenchRun,
  makeTarget: typeof makePostTarget,
  unit: string,
  atLeast: number,
): Promise<readonly Figure[]> {
  const platform = await getSharedPlatform(run);
  const toTargets = (url: string) => Promise.all(platform.friends.map((pair) => makeTarget(url, pair)));
  const sides = await makeComparisonSides(platform, toTargets);
  const figures = await compareLoads(run, sides, { unit, target: { atLeast } });
  const { url, pid } = await startServerProgram(run, floorProgram, { DATABASE_URL: platform.server.databaseUrl });
  const floor = { ...sides.own, targets: await toTargets(url), serverPids: [pid] };
  const connections = [defaultConnectionCount];
  const ofFloor = await compareLoads(run, { ...sides, own: floor }, { unit, side: 'floor', connections });
  const [ratio] = ofFloor.filter(({ name }) => name.endsWith(': ratio'));
  return ratio === undefined ? figures : [...figures, { ...ratio, name: `${ratio.name} of the floor` }];
}

export const orderMeasure: Measure = {
  name: 'orders',
  title: 'a whole order, from offer to payout, by 16 pairs of agents',
  baseline: `five requests, each ${baseline}`,
  leavesOut: 'limits, validation, log, answers to repeats, files, reasons of refusals, the live delivery of events',
  take: async (run) => {
    const platform = await getSharedPlatform(run);
    const pairs = platform.friends.slice(0, defaultConnectionCount);
    const { own, least } = await makeComparisonSides(platform, async () => []);
    const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.2, 1] : [3, 2, 5];
    const trade = (side: typeof own, url: string, forSeconds: number) =>
      measureWork(side, () => runWholeOrders(() => url, pairs, forSeconds));
    await trade(least, platform.least.url, warmUpSeconds);
    await trade(own, platform.server.url, warmUpSeconds);
    const rounds = await measureRounds(count, {
      least: () => trade(least, platform.least.url, seconds),
      own: () => trade(own, platform.server.url, seconds),
    });
    for (const round of rounds) run.say(`least ${formatLoad(round.least)}, server ${formatLoad(round.own)}`);
    const names = {
      unit: 'orders',
      baseline: 'least',
      side: 'server',
      at: defaultConnectionCount,
      target: { atLeast: 0.8 },
    };
    return toComparisonFigures(rounds, names);
  },
};
