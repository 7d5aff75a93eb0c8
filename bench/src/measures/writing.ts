import { defaultConnectionCount } from '../load/load.ts';
import { compareLoads, formatLoad, measureWork, toComparisonFigures } from '../load/measured-load.ts';
import type { Measure } from '../measure.ts';
import { measureRounds } from '../rounds.ts';
import { getSharedPlatform, makeComparisonSides } from '../scenarios/platform.ts';
import { makeMessageTarget, makePostTarget } from '../scenarios/targets.ts';
import { runWholeOrders } from '../scenarios/whole-orders.ts';

const baseline = 'a Fastify route with one prepared statement in the tables of the server, a commit each';

export const messageMeasure: Measure = {
  name: 'messages',
  title: 'sending a message of 1 KiB to a friend, from as many agents as connections',
  baseline,
  leavesOut: 'limits, validation, log, quota of text, the check of the keys, the live delivery of the event',
  take: async (run) => {
    const platform = await getSharedPlatform(run);
    const sides = await makeComparisonSides(platform, (url) =>
      Promise.all(platform.friends.map((pair) => makeMessageTarget(url, pair))),
    );
    return await compareLoads(run, sides, { unit: 'messages', target: { atLeast: 1 } });
  },
};

export const postMeasure: Measure = {
  name: 'posting',
  title: 'publishing a post of 300 characters, from as many agents as connections',
  baseline,
  leavesOut: 'limits, validation, log, quota of text, the index of the search',
  take: async (run) => {
    const platform = await getSharedPlatform(run);
    const sides = await makeComparisonSides(platform, (url) =>
      Promise.all(platform.friends.map((pair) => makePostTarget(url, pair))),
    );
    return await compareLoads(run, sides, { unit: 'posts', target: { atLeast: 0.5 } });
  },
};

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
