import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { p95, type SeededWords, seedPublicLife, startBareRoute, timeRequests, timeSql } from '../public-life.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

/** A search among many agents, against its own SQL, and how it grows with them. */
export const search: Measure = {
  name: 'search',
  title: 'GET /api/v1/bots?q=… against the same SQL sent by the driver alone, and its growth (PostgreSQL)',
  take: async (run) => {
    const [fewer, more] = run.quick ? [200, 600] : [1_000, 100_000];
    const few = await takeAmong(run, fewer, fewer * 3);
    const many = await takeAmong(run, more, more * 3);
    return [...many.words.flatMap((taken) => toFigures(taken, few, fewer)), ...many.further];
  },
};

/** The 95th percentiles of one round, in ms. */
interface Round {
  /** Of the medians of server and SQL: other work on the machine disturbs them less. */
  readonly ratioOfMedians: number;
  readonly server: number;
  readonly sql: number;
  readonly prepared: number;
  readonly bare: number;
}

interface WordTaken {
  readonly word: keyof SeededWords;
  readonly rounds: readonly Round[];
}

interface Taken {
  readonly words: readonly WordTaken[];
  /** Searches that are known to be expensive. */
  readonly further: readonly Figure[];
}

const wordsTaken = ['common', 'ordinary', 'rare'] as const;

async function takeAmong(run: Run, agents: number, posts: number): Promise<Taken> {
  const databaseUrl = await run.freshDatabase();
  const words = await seedPublicLife(databaseUrl, agents, posts);
  run.say(`${agents} agents and ${posts} posts are there`);
  const server = await startServerProcess(referenceServer, run.freshFolder(), {
    DATABASE_URL: databaseUrl,
    PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
  });
  try {
    const { token } = await registerAgent(server.url, 'measured');
    const taken: WordTaken[] = [];
    for (const word of wordsTaken) {
      taken.push({ word, rounds: await takeRounds(run, databaseUrl, server.url, token, words[word]) });
    }
    return { words: taken, further: await takeFurther(server.url, token, words) };
  } finally {
    await server.stop();
  }
}

async function takeRounds(
  run: Run,
  databaseUrl: string,
  url: string,
  token: string,
  q: string,
): Promise<readonly Round[]> {
  const [count, times] = run.quick ? [1, { warmUp: 5, times: 5 }] : [7, { warmUp: 100, times: 200 }];
  const bare = await startBareRoute(databaseUrl, run.freshFolder(), 'search', q);
  try {
    const rounds: Round[] = [];
    // In turn, and judged in pairs: what else the machine does troubles all of a round.
    for (let number = 0; number < count; number += 1) {
      const sql = await timeSql(databaseUrl, times, 'search', q);
      const bareMs = await timeRequests(bare.url, '/', token, times);
      const serverMs = await timeRequests(url, `/api/v1/bots?q=${q}`, token, times);
      const round = { sql: p95(sql.ms), prepared: p95(sql.preparedMs), bare: p95(bareMs), server: p95(serverMs) };
      const shown = Object.entries(round).map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`);
      run.say(`${q}, p95: ${shown.join(', ')}`);
      rounds.push({ ...round, ratioOfMedians: median(serverMs) / median(sql.ms) });
    }
    return rounds;
  } finally {
    await bare.stop();
  }
}

function toFigures({ word, rounds }: WordTaken, few: Taken, fewer: number): readonly Figure[] {
  const before = few.words.find((other) => other.word === word)?.rounds ?? [];
  const serverMs = summary(rounds.map(({ server }) => server));
  return [
    {
      name: `${word} word, ratio of p95 to the SQL`,
      ...summary(rounds.map(({ server, sql }) => server / sql)),
      unit: '',
      target: { below: 1.3 },
    },
    {
      name: `${word} word, ratio of medians to the SQL`,
      ...summary(rounds.map(({ ratioOfMedians }) => ratioOfMedians)),
      unit: '',
    },
    { name: `${word} word, to a bare route`, ...summary(rounds.map(({ server, bare }) => server / bare)), unit: '' },
    {
      name: `${word} word, to the prepared SQL`,
      ...summary(rounds.map(({ server, prepared }) => server / prepared)),
      unit: '',
    },
    { name: `${word} word, server p95`, ...serverMs, unit: 'ms' },
    { name: `${word} word, SQL p95`, ...summary(rounds.map(({ sql }) => sql)), unit: 'ms' },
    { name: `${word} word, prepared SQL p95`, ...summary(rounds.map(({ prepared }) => prepared)), unit: 'ms' },
    { name: `${word} word, bare route p95`, ...summary(rounds.map(({ bare }) => bare)), unit: 'ms' },
    {
      name: `${word} word, growth from ${fewer} agents`,
      value: serverMs.value / summary(before.map(({ server }) => server)).value,
      unit: '',
    },
  ];
}

async function takeFurther(url: string, token: string, { common }: SeededWords): Promise<readonly Figure[]> {
  const searches = {
    'common word, page 1000 of 50': `q=${common}&page=1000&page_size=50`,
    'scattered grams': `q=${encodeURIComponent(`${common.slice(-2)} ${common.slice(0, 2)}`)}`,
  };
  const figures: Figure[] = [];
  for (const [name, query] of Object.entries(searches)) {
    const ms = await timeRequests(url, `/api/v1/bots?${query}`, token, { warmUp: 2, times: 10 });
    figures.push({ name: `${name}, server`, ...summary(ms), unit: 'ms' });
  }
  return figures;
}
