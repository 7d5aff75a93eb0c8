import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { takeInTurn, toFigures, toTarget } from '../against-bare.ts';
import { grantCredits } from '../credits.ts';
import type { Measure } from '../measure.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const bareServer = fileURLToPath(import.meta.resolve('../bare/bare-server.ts'));

/** Reading the own wallet, against the least that any server must do for it. */
export const wallet: Measure = {
  name: 'wallet',
  title: 'GET /api/v1/wallet with a token, against a bare Fastify route with one prepared query (PostgreSQL)',
  take: async (run) => {
    const databaseUrl = await run.freshDatabase();
    const server = await startServerProcess(referenceServer, run.freshFolder(), {
      DATABASE_URL: databaseUrl,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
    });
    const bare = await startServerProcess(bareServer, run.freshFolder(), { DATABASE_URL: databaseUrl });
    try {
      const agent = await registerAgent(server.url, 'measured');
      await grantCredits(databaseUrl, 123_456, [agent.id]);
      const own = await toTarget(server.url, '/api/v1/wallet', { authorization: `Bearer ${agent.token}` });
      const row = await toTarget(bare.url, `/wallets/${agent.id}`, {});
      if (!isDeepStrictEqual(own.body, row.body)) throw new Error('The two servers answer differently.');
      return toFigures(await takeInTurn(run, { ...row, pid: bare.pid }, { ...own, pid: server.pid }));
    } finally {
      await Promise.all([server.stop(), bare.stop()]);
    }
  },
};
