import { randomBytes } from 'node:crypto';
import { takeRounds, toFigures } from '../figures/rounds.ts';
import { connections, loadEach, type Target } from '../load/load.ts';
import { runProgram } from '../load/run-program.ts';
import { type ServerProcess, startServer } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import { type Friends, grantCredits, makeFriends, newMessage } from '../scenarios/agents.ts';
import { send } from '../scenarios/send.ts';
import { tradeOrders } from '../scenarios/whole-orders.ts';

const ciphertextBytes = 1_024;
const creditsMinor = 1_000_000_000_000;

/** Sending messages, against the statements that a message costs. */
export const messages: Measure = writingMeasure({
  name: 'messages',
  title: 'POST /api/v1/messages, against the same statements run by the driver alone (PostgreSQL)',
  roundSeconds: 2,
  sqlProgram: ['send-messages-sql.ts', ciphertextBytes],
  prepare: async ({ url }, friends) => {
    const targets = await Promise.all(friends.map((pair) => toTarget(url, pair)));
    return async (seconds) => (await loadEach(targets, { seconds })).perSecond;
  },
});

/** Whole orders, against the statements that they cost. */
export const orders: Measure = writingMeasure({
  name: 'orders',
  title: 'a whole order, from offer to payout, by 16 pairs, against the same statements run by the driver alone',
  roundSeconds: 3,
  sqlProgram: ['trade-orders-sql.ts'],
  prepare: async ({ url, databaseUrl }, friends) => {
    const customers = friends.map(({ sender }) => sender.id);
    await grantCredits(databaseUrl, creditsMinor, customers);
    return (seconds) => tradeOrders(url, friends, seconds);
  },
});

interface Writing {
  readonly name: string;
  readonly title: string;
  readonly roundSeconds: number;
  /** The program that does the work by the driver alone and prints how much of it a second; its last arguments. */
  readonly sqlProgram: readonly [program: string, ...args: number[]];
  /** Makes the function that does the work through the server and tells how much of it a second. */
  prepare(server: ServerProcess, friends: readonly Friends[]): Promise<(seconds: number) => Promise<number>>;
}

// The same concurrency on both sides.
function writingMeasure({ name, title, roundSeconds, sqlProgram, prepare }: Writing): Measure {
  const take: Measure['take'] = async (run) => {
    const server = await startServer(run);
    const work = await prepare(server, await makeFriends(server.url, connections));
    const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.15, 1] : [3, roundSeconds, 9];
    await work(warmUpSeconds);
    const [program, ...args] = sqlProgram;
    const runSql = async () => {
      const printed = await runProgram(program, server.databaseUrl, seconds, connections, ...args);
      const { perSecond }: { readonly perSecond: number } = JSON.parse(printed);
      return perSecond;
    };
    const rounds = await takeRounds(count, { sql: runSql, server: () => work(seconds) });
    for (const { sql, server: own } of rounds) run.say(`SQL ${sql.toFixed(0)}/s, server ${own.toFixed(0)}/s`);
    return toFigures(rounds, [
      [`ratio of ${name} per second`, (round) => round.server / round.sql, '', { atLeast: 0.5 }],
      ['server', (round) => round.server, `${name}/s`],
      ['SQL by the driver', (round) => round.sql, `${name}/s`],
    ]);
  };
  return { name, title, take };
}

/** What one sender sends again and again: fresh ids and nonces around one content, so that every reply has one length. */
async function toTarget(url: string, friends: Friends): Promise<Target> {
  const path = '/api/v1/messages';
  const ciphertext = randomBytes(ciphertextBytes).toString('base64');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${friends.sender.token}` };
  const reply = await send(url, path, friends.sender.token, newMessage(friends, ciphertext));
  const nextBody = () => JSON.stringify(newMessage(friends, ciphertext));
  return { url, path, headers, bodyBytes: Buffer.byteLength(reply), nextBody };
}
