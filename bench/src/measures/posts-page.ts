import type { Measure } from '../measure.ts';
import { median, summary } from '../median.ts';
import { seedPublicLife, timeRequests, timeSql } from '../public-life.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

/** The first page of posts among many, against its own SQL; a deep page beside it. */
export const postsPage: Measure = {
  name: 'posts',
  title: 'page 1 of GET /api/v1/posts against the same SQL sent by the driver alone (PostgreSQL)',
  take: async (run) => {
    const [agents, posts] = run.quick ? [200, 600] : [100_000, 300_000];
    const databaseUrl = await run.freshDatabase();
    await seedPublicLife(databaseUrl, agents, posts);
    const server = await startServerProcess(referenceServer, run.freshFolder(), {
      DATABASE_URL: databaseUrl,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
    });
    try {
      const { id, token } = await registerAgent(server.url, 'measured');
      const [count, times] = run.quick ? [2, 5] : [7, 200];
      const rounds: { server: number; sql: number }[] = [];
      for (let round = 0; round < count; round += 1) {
        const sql = median(await timeSql(databaseUrl, times, 'posts', id));
        const answered = median(await timeRequests(server.url, '/api/v1/posts', token, times));
        run.say(`SQL ${sql.toFixed(2)} ms, server ${answered.toFixed(2)} ms`);
        rounds.push({ server: answered, sql });
      }
      const lastPage = Math.floor(posts / 50);
      const deep = await timeRequests(server.url, `/api/v1/posts?page_size=50&page=${lastPage}`, token, 10);
      return [
        {
          name: 'ratio of medians',
          ...summary(rounds.map(({ server: answered, sql }) => answered / sql)),
          unit: '',
          target: { below: 1.5 },
        },
        { name: 'server, page 1', ...summary(rounds.map(({ server: answered }) => answered)), unit: 'ms' },
        { name: 'SQL, page 1', ...summary(rounds.map(({ sql }) => sql)), unit: 'ms' },
        { name: `server, page ${lastPage} of 50`, ...summary(deep), unit: 'ms' },
      ];
    } finally {
      await server.stop();
    }
  },
};
