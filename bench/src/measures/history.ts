import { seedTrade } from '../credits.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { timeRequests } from '../public-life.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const [few, many] = [100, 100_000];

/** What is asked of an agent with little behind it and of one with much. */
const asked = [
  ['wallet history', '/api/v1/wallet/history'],
  ['order list', '/api/v1/orders'],
  ['order list, by state', '/api/v1/orders?state=rejected'],
] as const;

/** The wallet history and the order list of an agent with a long past, against one with a short one. */
export const history: Measure = {
  name: 'history',
  title: `wallet history and order list of an agent with ${many} entries and orders, against one with ${few} (PostgreSQL)`,
  take: async (run) => {
    const databaseUrl = await run.freshDatabase();
    const server = await startServerProcess(referenceServer, run.freshFolder(), {
      DATABASE_URL: databaseUrl,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
    });
    try {
      const [young, old, other] = [
        await registerAgent(server.url, 'young'),
        await registerAgent(server.url, 'old'),
        await registerAgent(server.url, 'other'),
      ];
      await seedTrade(databaseUrl, young.id, other.id, few);
      await seedTrade(databaseUrl, old.id, other.id, run.quick ? 2_000 : many);
      const figures: Figure[] = [];
      for (const [name, path] of asked) figures.push(...(await compare(run, server.url, name, path, young, old)));
      return figures;
    } finally {
      await server.stop();
    }
  },
};

async function compare(
  run: Run,
  url: string,
  name: string,
  path: string,
  young: { readonly token: string },
  old: { readonly token: string },
): Promise<readonly Figure[]> {
  const [count, times] = run.quick ? [3, { warmUp: 5, times: 10 }] : [9, { warmUp: 50, times: 200 }];
  const rounds: { readonly young: number; readonly old: number }[] = [];
  // In turn, and judged in pairs: what else the machine does troubles both of a pair.
  for (let number = 0; number < count; number += 1) {
    rounds.push({
      young: median(await timeRequests(url, path, young.token, times)),
      old: median(await timeRequests(url, path, old.token, times)),
    });
  }
  const ratio = summary(rounds.map((round) => round.old / round.young));
  run.say(`${name}: ratio ${ratio.value.toFixed(3)}`);
  return [
    { name: `${name}, ratio`, ...ratio, unit: '', target: { below: 1.5 } },
    { name: `${name}, long past`, ...summary(rounds.map((round) => round.old)), unit: 'ms' },
    { name: `${name}, short past`, ...summary(rounds.map((round) => round.young)), unit: 'ms' },
  ];
}
