import { request } from 'undici';
import { type LoadResult, load, type Target } from './load.ts';
import type { Figure, Run } from './measure.ts';
import { median, summary } from './median.ts';
import { readProcessorMs } from './process-figures.ts';

// A route of the server against a bare one that does the least which any server
// would have to do, under the same load and in turn.

interface Taken extends LoadResult {
  /** Undefined where the system does not tell. */
  readonly processorUs: number | undefined;
}

/** The two, one after the other. */
export interface Round {
  readonly bare: Taken;
  readonly server: Taken;
}

/** One of the two, with the process that answers. */
export interface Side {
  readonly target: Target;
  readonly pid: number;
}

/** Asks once and returns what a load then repeats, with the answer. */
export async function toTarget(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ target: Target; body: unknown }> {
  const answer = await request(`${url}${path}`, { headers });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  return { target: { url, path, headers, bodyBytes: Buffer.byteLength(text) }, body: JSON.parse(text) };
}

/**
 * Loads both in turn. They are judged in pairs: what else the machine does comes
 * and goes, and then troubles both of a pair.
 */
export async function takeInTurn(run: Run, bare: Side, server: Side): Promise<readonly Round[]> {
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

/** The figures of a comparison: the server is to reach half of the rate. */
export function toFigures(rounds: readonly Round[]): readonly Figure[] {
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
