import { takeRounds, toFigures } from '../../figures/rounds.ts';
import { median } from '../../figures/statistics.ts';
import { runProgram } from '../../load/run-program.ts';
import { startServer } from '../../load/server-process.ts';
import type { Figure, Measure } from '../../measure.ts';
import { registerAgent } from '../../scenarios/agents.ts';
import { timeRequests } from '../../scenarios/profiles-and-posts.ts';

const [few, many] = [100, 100_000];

/** The lists that are requested for an agent with a short past and for one with a long past. */
const lists = [
  ['wallet history', '/api/v1/wallet/history'],
  ['order list', '/api/v1/orders'],
  ['order list, by state', '/api/v1/orders?state=rejected'],
] as const;

/** The wallet history and the order list of an agent with a long past, against one with a short one. */
export const history: Measure = {
  name: 'history',
  title: `wallet history and order list of an agent with ${many} entries and orders, against one with ${few} (PostgreSQL)`,
  take: async (run) => {
    const { url, databaseUrl } = await startServer(run);
    const young = await registerAgent(url, 'young');
    const old = await registerAgent(url, 'old');
    const other = await registerAgent(url, 'other');
    await runProgram('seed-trade.ts', databaseUrl, young.id, other.id, few);
    await runProgram('seed-trade.ts', databaseUrl, old.id, other.id, run.quick ? 500 : many);
    const [count, times] = run.quick ? [1, { warmUp: 5, times: 10 }] : [9, { warmUp: 50, times: 200 }];
    const figures: Figure[] = [];
    for (const [name, path] of lists) {
      const rounds = await takeRounds(count, {
        young: async () => median(await timeRequests(url, path, young.token, times)),
        old: async () => median(await timeRequests(url, path, old.token, times)),
      });
      run.say(`${name}: ${rounds.length} rounds`);
      const ofList = toFigures(rounds, [
        [`${name}, ratio`, (round) => round.old / round.young, '', { below: 1.5 }],
        [`${name}, long past`, (round) => round.old, 'ms'],
        [`${name}, short past`, (round) => round.young, 'ms'],
      ]);
      figures.push(...ofList);
    }
    return figures;
  },
};
