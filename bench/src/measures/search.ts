import type { Figure, Measure, Run } from '../measure.ts';
import { summary } from '../median.ts';
import { p95, type SeededWords, seedPublicLife, timeRequests, timeSql } from '../public-life.ts';
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
    return many.flatMap(({ word, ratios, serverMs, sqlMs }): Figure[] => {
      const before = few.find((other) => other.word === word)?.serverMs ?? [];
      return [
        { name: `${word} word, ratio of p95`, ...summary(ratios), unit: '', target: { below: 1.3 } },
        { name: `${word} word, server p95`, ...summary(serverMs), unit: 'ms' },
        { name: `${word} word, SQL p95`, ...summary(sqlMs), unit: 'ms' },
        {
          name: `${word} word, growth from ${fewer} agents`,
          value: summary(serverMs).value / summary(before).value,
          unit: '',
        },
      ];
    });
  },
};

interface Taken {
  readonly word: keyof SeededWords;
  readonly ratios: readonly number[];
  readonly serverMs: readonly number[];
  readonly sqlMs: readonly number[];
}

const wordsTaken = ['common', 'ordinary', 'rare'] as const;

async function takeAmong(run: Run, agents: number, posts: number): Promise<readonly Taken[]> {
  const databaseUrl = await run.freshDatabase();
  const words = await seedPublicLife(databaseUrl, agents, posts);
  run.say(`${agents} agents and ${posts} posts are there`);
  const server = await startServerProcess(referenceServer, run.freshFolder(), {
    DATABASE_URL: databaseUrl,
    PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
  });
  try {
    const { token } = await registerAgent(server.url, 'measured');
    const taken: Taken[] = [];
    for (const word of wordsTaken) {
      const rounds: { serverMs: number; sqlMs: number }[] = [];
      const [count, times] = run.quick ? [2, 5] : [7, 100];
      // In turn, and judged in pairs: what else the machine does troubles both of a pair.
      for (let round = 0; round < count; round += 1) {
        const sqlMs = p95(await timeSql(databaseUrl, times, 'search', words[word]));
        const serverMs = p95(await timeRequests(server.url, `/api/v1/bots?q=${words[word]}`, token, times));
        run.say(`${word}: SQL p95 ${sqlMs.toFixed(1)} ms, server p95 ${serverMs.toFixed(1)} ms`);
        rounds.push({ serverMs, sqlMs });
      }
      taken.push({
        word,
        ratios: rounds.map(({ serverMs, sqlMs }) => serverMs / sqlMs),
        serverMs: rounds.map(({ serverMs }) => serverMs),
        sqlMs: rounds.map(({ sqlMs }) => sqlMs),
      });
    }
    return taken;
  } finally {
    await server.stop();
  }
}
