import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { type Figure, isTargetReached } from './measure.ts';

export interface MeasureResult {
  readonly measure: string;
  readonly title: string;
  readonly baseline?: string | undefined;
  readonly leavesOut?: string | undefined;
  readonly figures: readonly Figure[];
}

/** The JSON that `--json` prints. */
export type Report = ReturnType<typeof toReport>;

type Machine = ReturnType<typeof describeMachine>;

/** `missed` lists the figures that miss their target, as `measure: figure`, and `failed` the measures that threw. */
export function toReport(
  machine: Machine,
  quick: boolean,
  results: readonly MeasureResult[],
  failed: readonly string[] = [],
) {
  const missed = results.flatMap(({ measure, figures }) =>
    figures.filter((figure) => !isTargetReached(figure)).map(({ name }) => `${measure}: ${name}`),
  );
  return { machine, quick, results, missed, failed };
}

/** Figures from different machines cannot be compared; their ratios can, roughly. */
export function describeMachine() {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memory_mib: Math.round(totalmem() / 1024 / 1024),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    // A high load average shows that other programs were running in the minute before the run.
    load_average: loadavg()[0] ?? 0,
  };
}

export function formatReport({ machine, quick, results, missed, failed }: Report): string {
  const rows = results.flatMap(({ measure, figures }) =>
    figures.map((figure) => [measure, figure.name, showValue(figure), showRange(figure), showTarget(figure)]),
  );
  const header = ['measure', 'figure', 'median', 'range', 'to reach'];
  return [
    `${machine.cores} cores (${machine.processor}), ${machine.memory_mib} MiB, ${machine.platform}, Node.js ${machine.node}`,
    ...(machine.load_average > machine.cores / 4
      ? [`Other programs are running (load average ${machine.load_average.toFixed(1)}): the ratios are less reliable.`]
      : []),
    ...(quick ? ['A quick run only shows that the bench works; its figures are rough.'] : []),
    '',
    ...alignColumns([header, ...rows]),
    '',
    missed.length === 0 ? 'Every target is reached.' : `Missed: ${missed.join('; ')}.`,
    ...(failed.length === 0 ? [] : [`These measures could not run: ${failed.join(', ')}.`]),
  ].join('\n');
}

export function formatNumber(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 3);
}

function showValue({ value, unit }: Figure): string {
  return `${formatNumber(value)} ${unit}`.trim();
}

function showRange({ range }: Figure): string {
  return range === undefined ? '' : `${formatNumber(range[0])} to ${formatNumber(range[1])}`;
}

function showTarget(figure: Figure): string {
  const bound = formatTarget(figure);
  return bound === '' ? '' : `${bound}: ${isTargetReached(figure) ? 'reached' : 'MISSED'}`;
}

export function formatTarget({ target }: Figure): string {
  if (target === undefined) return '';
  return 'atLeast' in target ? `at least ${target.atLeast}` : `below ${target.below}`;
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
