import { describe, expect, it } from 'vitest';
import { addStepOutcomes, countTests } from './tally.ts';

function report(passed: number, failed: number, files: { status: string; assertionResults: unknown[] }[] = []) {
  return () =>
    JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: 0, testResults: files });
}

describe('the count of a test run', () => {
  it('is that of vitest', () => {
    expect(countTests(report(7, 0), 0)).toEqual({ passed: 7, failed: 0 });
    expect(countTests(report(7, 2), 1)).toEqual({ passed: 7, failed: 2 });
  });

  it('counts a file that could not be loaded as a failure', () => {
    const files = [
      { status: 'failed', assertionResults: [] },
      { status: 'passed', assertionResults: [{}] },
    ];

    expect(countTests(report(1, 0, files), 1)).toEqual({ passed: 1, failed: 1 });
  });

  it('counts a run without a test as a failure', () => {
    expect(countTests(report(0, 0), 0)).toEqual({ passed: 0, failed: 1 });
  });

  it('counts a run that ended with an error as a failure, even if every test passed', () => {
    expect(countTests(report(7, 0), 1)).toEqual({ passed: 7, failed: 1 });
  });

  it('counts a missing or truncated report as a failure', () => {
    expect(countTests(() => '{"numPassed', 0)).toEqual({ passed: 0, failed: 1 });
    expect(
      countTests(() => {
        throw new Error('no such file');
      }, 0),
    ).toEqual({ passed: 0, failed: 1 });
  });

  it('counts each step as a test', () => {
    expect(addStepOutcomes({ passed: 5, failed: 1 }, [true, false, true])).toEqual({ passed: 7, failed: 2 });
  });
});
