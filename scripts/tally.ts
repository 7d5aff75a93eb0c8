export type TestCounts = ReturnType<typeof countTests>;

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/**
 * Counts the tests in vitest's report. A file that could not be loaded counts as a failed test, as does a run without
 * tests and a non-zero exit code without a failed test (an error outside the tests).
 */
export function countTests(readReport: () => string, exitCode: number) {
  const report = parseOrNothing(readReport);
  if (report === undefined) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + brokenFiles;
  const isBadAllTheSame = failed === 0 && (passed === 0 || exitCode !== 0);
  return { passed, failed: isBadAllTheSame ? 1 : failed };
}

/** Counts each step as one test. */
export function addStepOutcomes({ passed, failed }: TestCounts, outcomes: readonly boolean[]): TestCounts {
  const stepsPassed = outcomes.filter((hasPassed) => hasPassed).length;
  return { passed: passed + stepsPassed, failed: failed + outcomes.length - stepsPassed };
}

function parseOrNothing(readReport: () => string): VitestReport | undefined {
  try {
    return JSON.parse(readReport());
  } catch {
    return undefined;
  }
}
