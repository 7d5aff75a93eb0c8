import type { Figure, FigureTarget } from '../measure.ts';
import { measureRounds, toFigures } from '../rounds.ts';
import type { BenchRun } from '../run.ts';
import { type LoadResult, type LoadTarget, runLoadPerConnection } from './load.ts';
import { readProcessorMs } from './process-figures.ts';

/** Each target is sent over a separate connection. */
export interface ComparisonSide {
  readonly targets: readonly LoadTarget[];
  readonly serverPids: readonly number[];
  /** The main process of the database; undefined if the database is embedded. */
  readonly databasePid?: number | undefined;
}

/** The result of a load, with the processor time per request; NaN if the system does not report it. */
export type MeasuredLoad = Awaited<ReturnType<typeof measureLoad>>;

export async function measureLoad(side: ComparisonSide, seconds: number, count: number) {
  const targets = Array.from({ length: count }, (_, index) => side.targets[index % side.targets.length] as LoadTarget);
  return await measureWork(side, () => runLoadPerConnection(targets, { seconds }));
}

/** Adds the processor time of the server and the database per unit of work to the result. */
export async function measureWork<Taken extends { readonly count: number }>(
  { serverPids, databasePid }: Pick<ComparisonSide, 'serverPids' | 'databasePid'>,
  work: () => Promise<Taken>,
) {
  const databasePids = databasePid === undefined ? [] : [databasePid];
  const read = () => [readProcessorMs(serverPids), readProcessorMs(databasePids)] as const;
  const [serverBefore, databaseBefore] = read();
  const taken = await work();
  const [serverAfter, databaseAfter] = read();
  // A time below one clock tick is measured as 0, so it is unknown too.
  const perPiece = (ms: number) => (ms > 0 ? (ms * 1_000) / taken.count : Number.NaN);
  const serverUs = perPiece(serverAfter - serverBefore);
  const databaseUs = databasePids.length === 0 ? 0 : perPiece(databaseAfter - databaseBefore);
  return { ...taken, serverUs, databaseUs, processorUs: serverUs + databaseUs };
}

export function formatLoad({ perSecond, p50Ms, p99Ms }: Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>): string {
  return `${perSecond.toFixed(0)}/s (p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms)`;
}

export interface ComparisonOptions {
  readonly unit: string;
  readonly target?: FigureTarget;
  readonly baseline?: string;
  readonly side?: string;
  /** The target applies to the first number. */
  readonly connections?: readonly number[];
}

/** Alternates between the side and its baseline for each number of connections. */
export async function compareLoads(
  run: BenchRun,
  sides: Readonly<Record<'least' | 'own', ComparisonSide>>,
  { unit, target, baseline = 'least', side = 'server', connections = [16, 64] }: ComparisonOptions,
): Promise<readonly Figure[]> {
  const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.2, 1] : [2, 1, 5];
  const figures: Figure[] = [];
  for (const at of run.quick ? connections.slice(0, 1) : connections) {
    await measureLoad(sides.least, warmUpSeconds, at);
    await measureLoad(sides.own, warmUpSeconds, at);
    const rounds = await measureRounds(count, {
      least: () => measureLoad(sides.least, seconds, at),
      own: () => measureLoad(sides.own, seconds, at),
    });
    for (const round of rounds)
      run.say(`${at} connections: ${baseline} ${formatLoad(round.least)}, ${side} ${formatLoad(round.own)}`);
    figures.push(
      ...toComparisonFigures(rounds, { unit, baseline, side, at, target: at === connections[0] ? target : undefined }),
    );
  }
  return figures;
}

interface Names {
  readonly unit: string;
  readonly baseline: string;
  readonly side: string;
  readonly at: number;
  readonly target: FigureTarget | undefined;
}

export function toComparisonFigures(
  rounds: readonly Readonly<Record<'least' | 'own', MeasuredLoad>>[],
  { unit, baseline, side, at, target }: Names,
): readonly Figure[] {
  const rows = toFigures(rounds, [
    [`at ${at}: ratio`, ({ own, least }) => own.perSecond / least.perSecond, '', target],
    [`at ${at}: ratio of processor time`, ({ own, least }) => least.processorUs / own.processorUs, ''],
    ...(
      [
        ['own', side],
        ['least', baseline],
      ] as const
    ).flatMap(([key, name]) => [
      [`at ${at}: ${name}`, (round: (typeof rounds)[number]) => round[key].perSecond, `${unit}/s`] as const,
      [`at ${at}: ${name}, p50`, (round: (typeof rounds)[number]) => round[key].p50Ms, 'ms'] as const,
      [`at ${at}: ${name}, p99`, (round: (typeof rounds)[number]) => round[key].p99Ms, 'ms'] as const,
      [
        `at ${at}: ${name}, processor of server`,
        (round: (typeof rounds)[number]) => round[key].serverUs,
        'µs',
      ] as const,
      [
        `at ${at}: ${name}, processor of database`,
        (round: (typeof rounds)[number]) => round[key].databaseUs,
        'µs',
      ] as const,
    ]),
  ]);
  // Removes NaN (the system reports no processor times) and 0 (the side has no separate database process).
  return rows.filter(({ value }) => value > 0);
}
