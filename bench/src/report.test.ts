import { describe, expect, it } from 'vitest';
import { formatReport, toReport } from './report.ts';

const machine = {
  cores: 2,
  processor: 'P',
  memory_mib: 1_024,
  platform: 'linux x64',
  node: '24.0.0',
  load_average: 0.1,
};
const results = [
  {
    measure: 'me',
    title: 'reading',
    figures: [
      { name: 'ratio', value: 0.4321, unit: '', range: [0.4, 0.5] as const, target: { atLeast: 0.5 } },
      { name: 'server', value: 1_234.5, unit: 'requests/s' },
    ],
  },
];

describe('a report', () => {
  it('names the figures that miss their target, and no others', () => {
    expect(toReport(machine, false, results).missed).toEqual(['me: ratio']);
  });

  it('is a human-readable table', () => {
    expect(formatReport(toReport(machine, false, results))).toBe(
      [
        '2 cores (P), 1024 MiB, linux x64, Node.js 24.0.0',
        '',
        'measure  figure  median           range           to reach',
        'me       ratio   0.432            0.400 to 0.500  at least 0.5: MISSED',
        'me       server  1235 requests/s',
        '',
        'Missed: me: ratio.',
      ].join('\n'),
    );
  });

  it('warns when other programs were running', () => {
    expect(formatReport(toReport(machine, false, []))).not.toContain('Other programs');
    expect(formatReport(toReport({ ...machine, load_average: 1.5 }, false, []))).toContain('load average 1.5');
  });

  it('names the measures that could not run', () => {
    expect(formatReport(toReport(machine, false, results, ['storm']))).toContain('could not run: storm.');
  });

  it('states that a run was quick, and that every target is reached', () => {
    const table = formatReport(toReport(machine, true, []));

    expect(table).toContain('A quick run');
    expect(table).toContain('Every target is reached.');
  });
});
