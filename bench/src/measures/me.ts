import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { request } from 'undici';
import { type LoadResult, load, type Target } from '../load.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { readProcessorMs } from '../process-figures.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const bareServer = fileURLToPath(import.meta.resolve('../bare/bare-server.ts'));

/** Far above what can be sent in a minute; the limiter counts every request all the same. */
const requestsPerMinute = '1000000000';

interface Taken extends LoadResult {
  /** Undefined where the system does not tell. */
  readonly processorUs: number | undefined;
}

interface Round {
  readonly bare: Taken;
  readonly server: Taken;
}

/** One of the two, with the process that answers. */
interface Side {
  readonly target: Target;
  readonly pid: number;
}

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

async function toTarget(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ target: Target; body: unknown }> {
  const answer = await request(`${url}${path}`, { headers });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  return { target: { url, path, headers, bodyBytes: Buffer.byteLength(text) }, body: JSON.parse(text) };
}

// In turn, and judged in pairs: what else the machine does comes and goes, and
// then troubles both of a pair.
async function takeInTurn(run: Run, bare: Side, server: Side): Promise<readonly Round[]> {
  const [warmUpSeconds, seconds, rounds] = run.quick ? [0.3, 0.3, 3] : [3, 1.5, 15];
  await take(bare, warmUpSeconds);
  await take(server, warmUpSeconds);
  const taken: Round[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const round = { bare: await take(bare, seconds), server: await take(server, seconds) };
    run.say(
      `round ${number}: bare ${show(round.bare)}, server ${show(round.server)}, ratio ${ratioOf(round).toFixed(3)}`,
    );
    taken.push(round);
  }
  return taken;
}

async function take({ target, pid }: Side, seconds: number): Promise<Taken> {
  const before = readProcessorMs(pid);
  const result = await load(target, { seconds });
  const after = readProcessorMs(pid);
  if (before === undefined || after === undefined) return { ...result, processorUs: undefined };
  return { ...result, processorUs: ((after - before) * 1_000) / (result.requestsPerSecond * seconds) };
}

function show({ requestsPerSecond, p50Ms, p99Ms }: LoadResult): string {
  return `${requestsPerSecond.toFixed(0)} requests/s (p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms)`;
}

function ratioOf({ bare, server }: Round): number {
  return server.requestsPerSecond / bare.requestsPerSecond;
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  return [
    { name: 'ratio of requests per second', ...summary(rounds.map(ratioOf)), unit: '', target: { atLeast: 0.5 } },
    { name: 'server', ...summary(rounds.map(({ server }) => server.requestsPerSecond)), unit: 'requests/s' },
    { name: 'bare', ...summary(rounds.map(({ bare }) => bare.requestsPerSecond)), unit: 'requests/s' },
    ...processorFigures(rounds),
    { name: 'server, p99', value: median(rounds.map(({ server }) => server.p99Ms)), unit: 'ms' },
    { name: 'bare, p99', value: median(rounds.map(({ bare }) => bare.p99Ms)), unit: 'ms' },
  ];
}

// What else the machine does changes how many requests fit into a second, and
// hardly how much work one request is: on a busy machine this tells more.
function processorFigures(rounds: readonly Round[]): readonly Figure[] {
  const pairs = rounds.flatMap(({ bare, server }) =>
    bare.processorUs === undefined || server.processorUs === undefined
      ? []
      : [{ bare: bare.processorUs, server: server.processorUs }],
  );
  if (pairs.length === 0) return [];
  return [
    { name: 'ratio of processor time', ...summary(pairs.map(({ bare, server }) => bare / server)), unit: '' },
    { name: 'server, processor time', ...summary(pairs.map(({ server }) => server)), unit: 'µs/request' },
    { name: 'bare, processor time', ...summary(pairs.map(({ bare }) => bare)), unit: 'µs/request' },
  ];
}
