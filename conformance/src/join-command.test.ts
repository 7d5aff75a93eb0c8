import { expect, it } from 'vitest';
import { joinReports, type StoredReport, type StoredRequirement } from './join-command.ts';

const row = (
  id: string,
  verdict: StoredRequirement['verdict'],
  rest: Partial<StoredRequirement> = {},
): StoredRequirement => ({
  id,
  verdict,
  reason: '',
  because: [],
  checks: [],
  expected: null,
  ...rest,
});
const report = (requirements: readonly StoredRequirement[], rest: object = {}): StoredReport => ({
  suite_version: '1.0.0',
  base_url: 'http://x',
  read_only: false,
  exit_code: 3,
  without: [],
  profiles: [],
  plan: { missing: [] },
  requirements,
  ...rest,
});

it.each([
  ['passed', 'failed', 'failed', 1],
  ['error', 'passed', 'passed', 0],
  ['not applicable', 'passed', 'passed', 0],
  ['not judged', 'not tested', 'not tested', 3],
] as const)('joins %s and %s to %s, whichever is first, with exit code %d', (one, other, verdict, exitCode) => {
  const join = (...verdicts: readonly [StoredRequirement['verdict'], StoredRequirement['verdict']]) =>
    joinReports([report([row('AP-ME-001', verdicts[0])]), report([row('AP-ME-001', verdicts[1])])]);
  for (const joined of [join(one, other), join(other, one)])
    expect(joined).toMatchObject({ requirements: [{ id: 'AP-ME-001', verdict }], exit_code: exitCode });
});

it('joins requirements and profiles, adds costs, and keeps only parts that all reports lack', () => {
  const spent = { registrations: 3, requests: 20 };
  const fast = report([row('AP-ME-001', 'passed')], { without: ['files', 'search'], spent, failures: [1] });
  const known = row('AP-LIMIT-002', 'failed', { expected: 'not yet' });
  const paced = report([known], { without: ['files'], profiles: ['limits'], spent, failures: [2] });
  expect(joinReports([fast, paced])).toMatchObject({
    profiles: ['limits'],
    without: ['files'],
    spent: { registrations: 6, requests: 40 },
    failures: [1, 2],
    requirements: [{ id: 'AP-ME-001' }, { id: 'AP-LIMIT-002' }],
    exit_code: 0,
  });
});

it.each([{ suite_version: '2.0.0' }, { base_url: 'http://y' }])('refuses reports that differ in %o', (other) => {
  expect(() => joinReports([report([]), report([], other)])).toThrow('These reports cannot be joined');
});
