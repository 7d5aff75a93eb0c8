import { fileURLToPath } from 'node:url';
import { runSqlProgram, takeInTurn, toFigures } from '../against-sql.ts';
import { grantCredits } from '../credits.ts';
import { makeFriends } from '../friends.ts';
import { connections } from '../load.ts';
import type { Measure } from '../measure.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';
import { tradeOrders } from '../whole-orders.ts';

const sqlTrader = fileURLToPath(import.meta.resolve('../../../server/testing/load/trade-orders-sql.ts'));

/** Far above what can be sent in a minute; the limits count every write all the same. */
const unreached = '1000000000';
const creditsMinor = 1_000_000_000_000;

/** Whole orders, against the statements that they cost. */
export const orders: Measure = {
  name: 'orders',
  title: 'a whole order, from offer to payout, by 16 pairs, against the same statements run by the driver alone',
  take: async (run) => {
    const databaseUrl = await run.freshDatabase();
    const server = await startServerProcess(referenceServer, run.freshFolder(), {
      DATABASE_URL: databaseUrl,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: unreached,
      PLATFORM_WRITES_PER_MINUTE: unreached,
      PLATFORM_CONTACT_REQUESTS_PER_MINUTE: unreached,
      PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: unreached,
      PLATFORM_REGISTRATIONS_PER_HOUR: unreached,
    });
    try {
      const friends = await makeFriends(server.url, connections);
      await grantCredits(
        databaseUrl,
        creditsMinor,
        friends.map(({ sender }) => sender.id),
      );
      const sqlWords = (seconds: number) => [sqlTrader, databaseUrl, String(seconds), String(connections)];
      const ways = {
        sql: (seconds: number) => runSqlProgram(sqlWords(seconds), 120_000),
        server: (seconds: number) => tradeOrders(server.url, friends, seconds),
      };
      return toFigures(await takeInTurn(run, ways, 3), 'orders');
    } finally {
      await server.stop();
    }
  },
};
