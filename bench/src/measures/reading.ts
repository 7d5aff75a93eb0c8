import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { takeRounds, toFigures } from '../figures/rounds.ts';
import { measuredLoad, type Side, showLoad } from '../load/measured-load.ts';
import { startProcess, startServer } from '../load/server-process.ts';
import type { Figure, Measure } from '../measure.ts';
import type { Run } from '../run.ts';
import { grantCredits, type MeasuredAgent, registerAgent } from '../scenarios/agents.ts';
import { send } from '../scenarios/send.ts';

const bareServer = fileURLToPath(import.meta.resolve('../bare/bare-server.ts'));

/** Reading the own passport, against the least that any server must do for it. */
export const me = readingMeasure('me', '/api/v1/bots/me', ({ id }) => `/bots/${id}`);

/** Reading the own wallet, against the least that any server must do for it. */
export const wallet = readingMeasure('wallet', '/api/v1/wallet', ({ id }) => `/wallets/${id}`);

function readingMeasure(name: string, path: string, barePath: (agent: MeasuredAgent) => string): Measure {
  return {
    name,
    title: `GET ${path} with a token, against a bare Fastify route with one prepared query (PostgreSQL)`,
    take: async (run) => {
      const server = await startServer(run);
      const bare = await startProcess(run, bareServer, { DATABASE_URL: server.databaseUrl });
      const agent = await registerAgent(server.url, 'measured');
      await grantCredits(server.databaseUrl, 123_456, [agent.id]);
      const [reply, row] = [await send(server.url, path, agent.token), await send(bare.url, barePath(agent))];
      if (!isDeepStrictEqual(JSON.parse(reply), JSON.parse(row)))
        throw new Error('The two servers answer differently.');
      const headers = { authorization: `Bearer ${agent.token}` };
      return await compare(run, {
        bare: [bare, { url: bare.url, path: barePath(agent), headers: {}, bodyBytes: Buffer.byteLength(row) }],
        server: [server, { url: server.url, path, headers, bodyBytes: Buffer.byteLength(reply) }],
      });
    },
  };
}

async function compare(run: Run, { bare, server }: Record<'bare' | 'server', Side>): Promise<readonly Figure[]> {
  const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.3, 1] : [3, 1.5, 15];
  await measuredLoad(bare, warmUpSeconds);
  await measuredLoad(server, warmUpSeconds);
  const sides = { bare: () => measuredLoad(bare, seconds), server: () => measuredLoad(server, seconds) };
  const rounds = await takeRounds(count, sides);
  for (const round of rounds) run.say(`bare ${showLoad(round.bare)}, server ${showLoad(round.server)}`);
  const requestFigures = toFigures(rounds, [
    ['ratio of requests per second', (round) => round.server.perSecond / round.bare.perSecond, '', { atLeast: 0.5 }],
    ['server', (round) => round.server.perSecond, 'requests/s'],
    ['bare', (round) => round.bare.perSecond, 'requests/s'],
    ['server, p99', (round) => round.server.p99Ms, 'ms'],
    ['bare, p99', (round) => round.bare.p99Ms, 'ms'],
  ]);
  if (Number.isNaN(rounds[0]?.bare.processorUs)) return requestFigures;
  // What else the machine does changes how many requests fit into a second, and
  // hardly how much work one request is: on a busy machine this says more.
  const processorFigures = toFigures(rounds, [
    ['ratio of processor time', (round) => round.bare.processorUs / round.server.processorUs, ''],
    ['server, processor time', (round) => round.server.processorUs, 'µs/request'],
    ['bare, processor time', (round) => round.bare.processorUs, 'µs/request'],
  ]);
  return [...requestFigures, ...processorFigures];
}
