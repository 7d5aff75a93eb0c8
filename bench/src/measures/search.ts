import { toFigures } from '../figures/rounds.ts';
import { median, percentile, summary } from '../figures/statistics.ts';
import { startServer } from '../load/server-process.ts';
import type { Figure, Measure } from '../measure.ts';
import type { Run } from '../run.ts';
import { registerAgent } from '../scenarios/agents.ts';
import * as seeds from '../scenarios/profiles-and-posts.ts';

/** A search among many agents, against its own SQL, and how it grows with them. */
export const search: Measure = {
  name: 'search',
  title: 'GET /api/v1/bots?q=… against the same SQL sent by the driver alone, and its growth (PostgreSQL)',
  take: async (run) => {
    // A word costs the start of four programs: one proves in a quick run that the measure works.
    const [fewer, more, count] = run.quick ? [200, 600, 1] : [1_000, 100_000, 3];
    const words = (['common', 'ordinary', 'rare'] as const).slice(0, count);
    const few = await takeAmong(run, fewer, words);
    const many = await takeAmong(run, more, words);
    return [
      ...many.taken.flatMap(({ word, rounds }, index) =>
        toWordFigures(word, rounds, few.taken[index]?.rounds ?? [], fewer),
      ),
      ...many.expensive,
    ];
  },
};

type Rounds = readonly seeds.WaysMs[];

async function takeAmong(run: Run, agents: number, words: readonly (keyof seeds.SeededWords)[]) {
  const databaseUrl = await run.freshDatabase();
  const seeded = await seeds.seedProfiles(databaseUrl, agents, agents * 3);
  run.say(`${agents} agents and ${agents * 3} posts are there`);
  const [count, times] = run.quick ? [1, { warmUp: 5, times: 5 }] : [7, { warmUp: 100, times: 200 }];
  const server = await startServer(run, { DATABASE_URL: databaseUrl });
  const { token } = await registerAgent(server.url, 'measured');
  const taken: { readonly word: string; readonly rounds: Rounds }[] = [];
  for (const word of words) {
    const listed = { what: 'search', value: seeded[word], path: `/api/v1/bots?q=${seeded[word]}` } as const;
    taken.push({ word, rounds: await seeds.takeWays(run, server, token, listed, count, times) });
  }
  const expensive = await takeExpensive(server.url, token, seeded);
  await server.stop();
  return { taken, expensive };
}

const p95 = (values: readonly number[]) => percentile(values, 95);

function toWordFigures(word: string, rounds: Rounds, before: Rounds, fewer: number): readonly Figure[] {
  const growth = median(rounds.map(({ server }) => p95(server))) / median(before.map(({ server }) => p95(server)));
  return [
    ...toFigures(rounds, [
      [`${word} word, ratio of p95 to the SQL`, (way) => p95(way.server) / p95(way.sql), '', { below: 1.3 }],
      // Other work on the machine disturbs medians less.
      [`${word} word, ratio of medians to the SQL`, (way) => median(way.server) / median(way.sql), ''],
      [`${word} word, to a bare route`, (way) => p95(way.server) / p95(way.bare), ''],
      [`${word} word, to the prepared SQL`, (way) => p95(way.server) / p95(way.prepared), ''],
      [`${word} word, server p95`, (way) => p95(way.server), 'ms'],
      [`${word} word, SQL p95`, (way) => p95(way.sql), 'ms'],
      [`${word} word, prepared SQL p95`, (way) => p95(way.prepared), 'ms'],
      [`${word} word, bare route p95`, (way) => p95(way.bare), 'ms'],
    ]),
    { name: `${word} word, growth from ${fewer} agents`, value: growth, unit: '' },
  ];
}

/** Takes searches that are known to be expensive. */
async function takeExpensive(url: string, token: string, { common }: seeds.SeededWords): Promise<readonly Figure[]> {
  const searches = {
    'common word, page 1000 of 50': `q=${common}&page=1000&page_size=50`,
    'scattered grams': `q=${encodeURIComponent(`${common.slice(-2)} ${common.slice(0, 2)}`)}`,
  };
  const figures: Figure[] = [];
  for (const [name, query] of Object.entries(searches)) {
    const ms = await seeds.timeRequests(url, `/api/v1/bots?${query}`, token, { warmUp: 2, times: 10 });
    figures.push({ name: `${name}, server`, ...summary(ms), unit: 'ms' });
  }
  return figures;
}
