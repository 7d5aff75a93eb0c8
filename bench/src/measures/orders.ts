import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { grantCredits } from '../credits.ts';
import { type Friends, makeFriends } from '../friends.ts';
import { connections } from '../load.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';
import { tradeOrders } from '../whole-orders.ts';

const execute = promisify(execFile);
const sqlTrader = fileURLToPath(import.meta.resolve('../../../server/testing/trade-orders-sql.ts'));

/** Far above what can be sent in a minute; the limits count every write all the same. */
const unreached = '1000000000';
const creditsMinor = 1_000_000_000_000;

interface Round {
  readonly sql: number;
  readonly server: number;
}

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
      return toFigures(await takeInTurn(run, databaseUrl, server.url, friends));
    } finally {
      await server.stop();
    }
  },
};

// In turn, and judged in pairs: what else the machine does troubles both of a pair.
async function takeInTurn(
  run: Run,
  databaseUrl: string,
  url: string,
  friends: readonly Friends[],
): Promise<readonly Round[]> {
  const [warmUpSeconds, seconds, count] = run.quick ? [0.3, 0.3, 3] : [3, 3, 9];
  await tradeOrders(url, friends, warmUpSeconds);
  const rounds: Round[] = [];
  for (let number = 1; number <= count; number += 1) {
    const round = { sql: await tradeBySql(databaseUrl, seconds), server: await tradeOrders(url, friends, seconds) };
    run.say(
      `round ${number}: SQL ${round.sql.toFixed(0)}/s, server ${round.server.toFixed(0)}/s, ratio ${(round.server / round.sql).toFixed(3)}`,
    );
    rounds.push(round);
  }
  return rounds;
}

async function tradeBySql(databaseUrl: string, seconds: number): Promise<number> {
  const args = [sqlTrader, databaseUrl, String(seconds), String(connections)];
  const { stdout } = await execute(process.execPath, args, { timeout: 120_000 });
  const { perSecond }: { readonly perSecond: number } = JSON.parse(stdout);
  return perSecond;
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  return [
    {
      name: 'ratio of orders per second',
      ...summary(rounds.map(({ sql, server }) => server / sql)),
      unit: '',
      target: { atLeast: 0.5 },
    },
    { name: 'server', ...summary(rounds.map(({ server }) => server)), unit: 'orders/s' },
    { name: 'SQL by the driver', value: median(rounds.map(({ sql }) => sql)), unit: 'orders/s' },
  ];
}
