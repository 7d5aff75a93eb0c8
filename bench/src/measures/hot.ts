import { defaultConnectionCount } from '../load/load.ts';
import { formatLoad, measureLoad, measureWork } from '../load/measured-load.ts';
import type { Measure } from '../measure.ts';
import { measureRounds, toFigures } from '../rounds.ts';
import { befriend, type FriendPair, grantCredits, makeFriends } from '../scenarios/agents.ts';
import { startServers } from '../scenarios/server-groups.ts';
import { makeMessageTarget } from '../scenarios/targets.ts';
import { runWholeOrders } from '../scenarios/whole-orders.ts';

const processCount = 4;
const creditsMinor = 1_000_000_000_000;

/** Concurrent commands that all involve the same agent and therefore lock its rows. */
export const hotAgentMeasure: Measure = {
  name: 'hot',
  title: 'messages to one agent and orders of one contractor, from 16 agents over four processes',
  baseline: 'the same of 16 pairs of agents, on the same processes',
  take: async (run) => {
    const servers = await startServers(run, run.quick ? 2 : processCount);
    const [{ url, databaseUrl }] = servers;
    const spread = await makeFriends(url, defaultConnectionCount);
    const { recipient } = spread[0] as FriendPair;
    const met = spread.map(({ sender }) => ({ sender, recipient }));
    for (const { sender } of met.slice(1)) await befriend(url, sender, recipient);
    const customers = spread.map(({ sender }) => sender.id);
    await grantCredits(databaseUrl, creditsMinor, customers);
    const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.2, 1] : [3, 2, 5];
    const processes = { serverPids: servers.map(({ pid }) => pid), databasePid: await run.databasePid() };
    const urlOf = (index: number) => servers[index % servers.length]?.url ?? url;

    const sideOf = async (pairs: readonly FriendPair[]) => ({
      ...processes,
      targets: await Promise.all(pairs.map((pair, index) => makeMessageTarget(urlOf(index), pair))),
    });
    const sending = { hot: await sideOf(met), spread: await sideOf(spread) };
    const trade = (pairs: readonly FriendPair[], forSeconds: number) =>
      measureWork(processes, () => runWholeOrders(urlOf, pairs, forSeconds));
    const works = [
      ['messages', (side: 'hot' | 'spread', s: number) => measureLoad(sending[side], s, defaultConnectionCount)],
      ['orders', (side: 'hot' | 'spread', s: number) => trade(side === 'hot' ? met : spread, s)],
    ] as const;

    const figures = [];
    for (const [name, work] of works) {
      for (const side of ['spread', 'hot'] as const) await work(side, warmUpSeconds);
      const rounds = await measureRounds(count, {
        spread: () => work('spread', seconds),
        hot: () => work('hot', seconds),
      });
      for (const round of rounds) run.say(`${name}: spread ${formatLoad(round.spread)}, hot ${formatLoad(round.hot)}`);
      figures.push(
        ...toFigures(rounds, [
          [
            `${name} of one agent by those of 16: ratio`,
            (r) => r.hot.perSecond / r.spread.perSecond,
            '',
            { atLeast: 0.9 },
          ],
          [`${name} of one agent`, (r) => r.hot.perSecond, `${name}/s`],
          [`${name} of one agent, p99`, (r) => r.hot.p99Ms, 'ms'],
          [`${name} of 16`, (r) => r.spread.perSecond, `${name}/s`],
          [`${name} of 16, p99`, (r) => r.spread.p99Ms, 'ms'],
        ]),
      );
    }
    return figures;
  },
};
