/** How many passed and failed. */
export type Tally = ReturnType<typeof readTally>;

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/**
 * Counts the tests of a run by vitest's report and exit code. A file that could
 * not be loaded is a failure although it has no test, and so is a run without any
 * test, and one that vitest itself calls bad (an error outside of every test).
 */
export function readTally(readReport: () => string, exitCode: number) {
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

function parseOrNothing(readReport: () => string): VitestReport | undefined {
  try {
    return JSON.parse(readReport());
  } catch {
    return undefined;
  }
}
