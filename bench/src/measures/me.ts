import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { takeInTurn, toFigures, toTarget } from '../against-bare.ts';
import type { Measure } from '../measure.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const bareServer = fileURLToPath(import.meta.resolve('../bare/bare-server.ts'));

/** Far above what can be sent in a minute; the limiter counts every request all the same. */
const requestsPerMinute = '1000000000';

/** Reading the own passport, against the least that any server must do for it. */
export const me: Measure = {
  name: 'me',
  title: 'GET /api/v1/bots/me with a token, against a bare Fastify route with one prepared query (PostgreSQL)',
  take: async (run) => {
    const databaseUrl = await run.freshDatabase();
    const server = await startServerProcess(referenceServer, run.freshFolder(), {
      DATABASE_URL: databaseUrl,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: requestsPerMinute,
    });
    const bare = await startServerProcess(bareServer, run.freshFolder(), { DATABASE_URL: databaseUrl });
    try {
      const agent = await registerAgent(server.url, 'measured');
      const passport = await toTarget(server.url, '/api/v1/bots/me', { authorization: `Bearer ${agent.token}` });
      const row = await toTarget(bare.url, `/bots/${agent.id}`, {});
      if (!isDeepStrictEqual(passport.body, row.body)) throw new Error('The two servers answer differently.');
      return toFigures(await takeInTurn(run, { ...row, pid: bare.pid }, { ...passport, pid: server.pid }));
    } finally {
      await Promise.all([server.stop(), bare.stop()]);
    }
  },
};
