import { describe, expect, it } from 'vitest';
import type { Figure } from '../measure.ts';
import { toReport } from '../report.ts';
import { formatResultsPage } from './print-results.ts';
import type { SavedRun } from './saved-run.ts';

const machine = {
  cores: 2,
  processor: 'P',
  memory_mib: 2_048,
  platform: 'linux x64',
  node: '24.0.0',
  load_average: 0.1,
};

function runOf(date: string, measure: string, figures: readonly Figure[]): SavedRun {
  const result = { measure, title: 'a title', baseline: 'a <baseline>', leavesOut: 'much', figures };
  return { date, commit: `of-${date}`, ...toReport(machine, false, [result]) };
}

const ratio = (value: number) =>
  ({ name: 'at 16: ratio', value, unit: '', range: [0.1, 2], target: { atLeast: 1 } }) as const;
const rate = { name: 'at 16: server', value: 1_000, unit: 'requests/s' };
const middle = { name: 'at 16: server, p50', value: 1.5, unit: 'ms' };
const runs = [
  runOf('2026-01-01', 'me', [ratio(0.5), rate, middle]),
  runOf('2026-01-02', 'me', [ratio(1.25), rate, middle]),
  runOf('2026-01-03', 'ready', [{ name: 'to ready', value: 1.2, unit: 's', target: { below: 4 } }]),
];

describe('the page of the results', () => {
  const page = formatResultsPage(runs);

  it('shows the latest result of each measure, and names its run', () => {
    expect(page).toContain('| `me` | at 16: ratio | 1.250 | 0.100 to 2.000 | at least 1 | reached |');
    expect(page).toContain('| 2026-01-02 | `of-2026-01-02` |');
    expect(page).toContain('| `ready` | to ready | 1.200 s |  | below 4 | reached |');
    expect(page).not.toContain('of-2026-01-01');
  });

  it('puts the sides of a comparison into rows, with a description of the baseline', () => {
    expect(page).toContain('Baseline: a <baseline>. It leaves out: much.');
    expect(page).toContain('| 16 | server | 1000 requests/s | 1.500 ms |  |  |  | 1.250 |');
  });

  it('shows each ratio with a target in every run that has it', () => {
    expect(page).toContain('| measure | figure | to reach | 2026-01-01 | 2026-01-02 | 2026-01-03 |');
    expect(page).toContain('| `me` | at 16: ratio | at least 1 | 0.500 | 1.250 |  |');
    expect(page).not.toContain('| `ready` | to ready | below 4 |');
  });

  it('states that there is no run yet', () => {
    expect(formatResultsPage([])).toContain('No run is committed yet.');
  });
});
