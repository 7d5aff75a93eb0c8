import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { request } from 'undici';
import { type LoadResult, load, type Target } from '../load.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const bareServer = fileURLToPath(import.meta.resolve('../bare/bare-server.ts'));

/** Far above what can be sent in a minute; the limiter counts every request all the same. */
const requestsPerMinute = '1000000000';

interface Round {
  readonly bare: LoadResult;
  readonly server: LoadResult;
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
      return toFigures(await takeInTurn(run, row.target, passport.target));
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
async function takeInTurn(run: Run, bare: Target, server: Target): Promise<readonly Round[]> {
  const [warmUpSeconds, seconds, rounds] = run.quick ? [0.3, 0.3, 3] : [3, 1.5, 15];
  await load(bare, { seconds: warmUpSeconds });
  await load(server, { seconds: warmUpSeconds });
  const taken: Round[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const round = { bare: await load(bare, { seconds }), server: await load(server, { seconds }) };
    run.say(
      `round ${number}: bare ${show(round.bare)}, server ${show(round.server)}, ratio ${ratioOf(round).toFixed(3)}`,
    );
    taken.push(round);
  }
  return taken;
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
    { name: 'server, p99', value: median(rounds.map(({ server }) => server.p99Ms)), unit: 'ms' },
    { name: 'bare, p99', value: median(rounds.map(({ bare }) => bare.p99Ms)), unit: 'ms' },
  ];
}
