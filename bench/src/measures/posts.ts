import { toFigures } from '../figures/rounds.ts';
import { median, summary } from '../figures/statistics.ts';
import { startServer } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import { registerAgent } from '../scenarios/agents.ts';
import { seedProfiles, takeWays, timeRequests } from '../scenarios/profiles-and-posts.ts';

/** The first page of posts among many, against its own SQL; a deep page beside it. */
export const posts: Measure = {
  name: 'posts',
  title: 'page 1 of GET /api/v1/posts against the same SQL sent by the driver alone (PostgreSQL)',
  take: async (run) => {
    const [agents, count] = run.quick ? [200, 600] : [100_000, 300_000];
    const [rounds, times] = run.quick ? [1, { warmUp: 5, times: 5 }] : [7, { warmUp: 100, times: 300 }];
    const databaseUrl = await run.freshDatabase();
    await seedProfiles(databaseUrl, agents, count);
    const server = await startServer(run, { DATABASE_URL: databaseUrl });
    const { id, token } = await registerAgent(server.url, 'measured');
    const listed = { what: 'posts', value: id, path: '/api/v1/posts' } as const;
    const taken = await takeWays(run, server, token, listed, rounds, times);
    const lastPage = Math.floor(count / 50);
    const deepPath = `/api/v1/posts?page_size=50&page=${lastPage}`;
    const deep = await timeRequests(server.url, deepPath, token, { warmUp: 3, times: 10 });
    return [
      ...toFigures(taken, [
        ['ratio of medians, to the SQL', (way) => median(way.server) / median(way.sql), '', { below: 1.5 }],
        ['to a bare route', (way) => median(way.server) / median(way.bare), ''],
        ['to the prepared SQL', (way) => median(way.server) / median(way.prepared), ''],
        ['server, page 1', (way) => median(way.server), 'ms'],
        ['SQL, page 1', (way) => median(way.sql), 'ms'],
        ['prepared SQL, page 1', (way) => median(way.prepared), 'ms'],
        ['bare route, page 1', (way) => median(way.bare), 'ms'],
      ]),
      { name: `server, page ${lastPage} of 50`, ...summary(deep), unit: 'ms' },
    ];
  },
};
