import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { seedPublicLife, startBareRoute, timeRequests, timeSql } from '../public-life.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

interface Round {
  readonly server: number;
  readonly sql: number;
  readonly prepared: number;
  readonly bare: number;
}

/** The first page of posts among many, against its own SQL; a deep page beside it. */
export const postsPage: Measure = {
  name: 'posts',
  title: 'page 1 of GET /api/v1/posts against the same SQL sent by the driver alone (PostgreSQL)',
  take: async (run) => {
    const [agents, posts] = run.quick ? [200, 600] : [100_000, 300_000];
    const databaseUrl = await run.freshDatabase();
    await seedPublicLife(databaseUrl, agents, posts);
    const folder = run.freshFolder();
    const server = await startServerProcess(referenceServer, folder, {
      DATABASE_URL: databaseUrl,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
    });
    try {
      const agent = await registerAgent(server.url, 'measured');
      const bare = await startBareRoute(databaseUrl, folder, 'posts', agent.id);
      try {
        const rounds = await takeRounds(run, databaseUrl, { server: server.url, bare: bare.url }, agent);
        const lastPage = Math.floor(posts / 50);
        const path = `/api/v1/posts?page_size=50&page=${lastPage}`;
        const deep = await timeRequests(server.url, path, agent.token, { warmUp: 3, times: 10 });
        return [...toFigures(rounds), { name: `server, page ${lastPage} of 50`, ...summary(deep), unit: 'ms' }];
      } finally {
        await bare.stop();
      }
    } finally {
      await server.stop();
    }
  },
};

async function takeRounds(
  run: Run,
  databaseUrl: string,
  urls: { readonly server: string; readonly bare: string },
  { id, token }: { readonly id: string; readonly token: string },
): Promise<readonly Round[]> {
  const [count, times] = run.quick ? [2, { warmUp: 5, times: 5 }] : [7, { warmUp: 100, times: 300 }];
  const rounds: Round[] = [];
  // In turn, and judged in pairs: what else the machine does troubles all of a round.
  for (let number = 0; number < count; number += 1) {
    const sql = await timeSql(databaseUrl, times, 'posts', id);
    const round = {
      sql: median(sql.ms),
      prepared: median(sql.preparedMs),
      bare: median(await timeRequests(urls.bare, '/', token, times)),
      server: median(await timeRequests(urls.server, '/api/v1/posts', token, times)),
    };
    const shown = Object.entries(round).map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`);
    run.say(shown.join(', '));
    rounds.push(round);
  }
  return rounds;
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  return [
    {
      name: 'ratio of medians, to the SQL',
      ...summary(rounds.map(({ server, sql }) => server / sql)),
      unit: '',
      target: { below: 1.5 },
    },
    { name: 'to a bare route', ...summary(rounds.map(({ server, bare }) => server / bare)), unit: '' },
    { name: 'to the prepared SQL', ...summary(rounds.map(({ server, prepared }) => server / prepared)), unit: '' },
    { name: 'server, page 1', ...summary(rounds.map(({ server }) => server)), unit: 'ms' },
    { name: 'SQL, page 1', ...summary(rounds.map(({ sql }) => sql)), unit: 'ms' },
    { name: 'prepared SQL, page 1', ...summary(rounds.map(({ prepared }) => prepared)), unit: 'ms' },
    { name: 'bare route, page 1', ...summary(rounds.map(({ bare }) => bare)), unit: 'ms' },
  ];
}
