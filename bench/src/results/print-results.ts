import { type Figure, isReached } from '../measure.ts';
import { formatNumber, formatTarget, type Result } from '../report.ts';
import type { SavedRun } from './saved-run.ts';

/** The last result of a measure, and its run. */
interface Latest {
  readonly run: SavedRun;
  readonly result: Result;
}

/** Prints the page of the committed runs. */
export function printResults(runs: readonly SavedRun[]): string {
  const latest = findLatest(runs);
  return `# Benchmark results

Printed by \`npm run bench -- --save\` from the committed runs in \`bench/results\`. [Benchmarks](../benchmarks.md) tells how the figures are
taken. A ratio compares two sides of one run on one machine, and each row is of the last run that has it.

${runs.length === 0 ? 'No run is committed yet.\n' : printRuns(runs, latest)}`;
}

function findLatest(runs: readonly SavedRun[]): readonly Latest[] {
  const latest = new Map<string, Latest>();
  for (const run of runs) for (const result of run.results) latest.set(result.measure, { run, result });
  return [...latest.values()];
}

function printRuns(runs: readonly SavedRun[], latest: readonly Latest[]): string {
  const used = runs.filter((run) => latest.some((one) => one.run === run));
  const compared = latest.filter(({ result }) => connectionCounts(result).length > 0);
  return `## Runs

${table(
  ['date (UTC)', 'commit', 'machine', 'load before', 'measures'],
  used.map((run) => [
    run.date.replace('T', ' '),
    `\`${run.commit}\``,
    describe(run),
    run.machine.load_average.toFixed(1),
    latest
      .filter((one) => one.run === run)
      .map(({ result }) => `\`${result.measure}\``)
      .join(' '),
  ]),
)}
## Targets

${table(
  ['measure', 'figure', 'median', 'range', 'to reach', ''],
  latest.flatMap(({ result }) =>
    result.figures
      .filter(({ target }) => target !== undefined)
      .map((figure) => [
        `\`${result.measure}\``,
        figure.name,
        show(figure),
        showRange(figure),
        formatTarget(figure),
        isReached(figure) ? 'reached' : 'missed',
      ]),
  ),
)}
## Ratios over time

Each ratio that has a target, in all committed runs.

${printRatios(runs)}
## Side by side

${compared.map(printComparison).join('\n')}
## Other figures

${latest
  .filter((one) => !compared.includes(one))
  .map(printOther)
  .join('\n')}`;
}

/** A row per ratio with a target, and a column per run. */
function printRatios(runs: readonly SavedRun[]): string {
  const rows = new Map<string, string[]>();
  for (const [index, { results }] of runs.entries())
    for (const { measure, figures } of results)
      for (const figure of figures.filter(({ target, unit }) => target !== undefined && unit === '')) {
        const what = [`\`${measure}\``, figure.name, formatTarget(figure)];
        const key = what.slice(0, 2).join();
        const values = rows.get(key)?.slice(what.length) ?? runs.map(() => '');
        rows.set(key, [...what, ...values.with(index, formatNumber(figure.value))]);
      }
  const dates = runs.map(({ date }) => date.replace('T', ' '));
  return table(['measure', 'figure', 'to reach', ...dates], [...rows.values()]);
}

function describe({ machine }: SavedRun): string {
  const { cores, processor, memory_mib, platform, node } = machine;
  return `${cores} cores (${processor}), ${Math.round(memory_mib / 1_024)} GiB, ${platform}, Node.js ${node}`;
}

const atCount = /^at (\d+): (.*)$/;

/** The numbers of connections in a comparison. */
function connectionCounts({ figures }: Result): readonly string[] {
  return [...new Set(figures.flatMap(({ name }) => atCount.exec(name)?.[1] ?? []))];
}

const columns = ['', ', p50', ', p99', ', processor of server', ', processor of database'];

/** Both sides of a measure, with one row per side and number of connections. */
function printComparison({ result }: Latest): string {
  const find = (count: string, name: string) => result.figures.find((figure) => figure.name === `at ${count}: ${name}`);
  const rows = connectionCounts(result).flatMap((count) => {
    const sides = result.figures.flatMap(({ name }) =>
      name.startsWith(`at ${count}: `) ? (/: ([^,]*), p50$/.exec(name)?.[1] ?? []) : [],
    );
    return sides.map((side, index) => {
      const ratio = index === 0 ? find(count, 'ratio') : undefined;
      const cells = columns.map((column) => find(count, `${side}${column}`));
      return [
        count,
        side,
        ...cells.map((figure) => (figure === undefined ? '' : show(figure))),
        ratio === undefined ? '' : formatNumber(ratio.value),
      ];
    });
  });
  const header = ['connections', 'side', 'rate', 'p50', 'p99', 'processor: server', 'database', 'ratio'];
  return `${heading(result)}\n${table(header, rows)}`;
}

function printOther({ result }: Latest): string {
  return `${heading(result)}\n${table(
    ['figure', 'median', 'range'],
    result.figures.map((figure) => [figure.name, show(figure), showRange(figure)]),
  )}`;
}

function heading({ measure, title, baseline, leavesOut }: Result): string {
  const sentences = [
    `${capital(title)}.`,
    ...(baseline === undefined ? [] : [`Baseline: ${baseline}.`]),
    ...(leavesOut === undefined ? [] : [`It leaves out: ${leavesOut}.`]),
  ];
  return `### \`${measure}\`\n\n${sentences.join(' ')}\n`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function show({ value, unit }: Figure): string {
  return `${formatNumber(value)} ${unit}`.trim();
}

function showRange({ range }: Figure): string {
  return range === undefined ? '' : `${formatNumber(range[0])} to ${formatNumber(range[1])}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
