/**
 * What became of a requirement. `error` is the suite's own fault and never the
 * server's; `not tested` wants something that was not there.
 */
export type Verdict = 'passed' | 'failed' | 'not tested' | 'not applicable' | 'error';

// The worst that any check says is what holds of the requirement.
const fromWorst: readonly Verdict[] = ['failed', 'error', 'not tested', 'passed', 'not applicable'];

/** The verdict of a requirement out of those of its checks. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return fromWorst.find((verdict) => verdicts.includes(verdict)) ?? 'not tested';
}

/** 0: all passed, 1: something failed, 2: the suite could not run, 3: nothing failed but something was not tested. */
export type ExitCode = 0 | 1 | 2 | 3;

/** The exit code that tells scripts how the run ended. */
export function exitCodeOf(verdicts: readonly Verdict[]): ExitCode {
  if (verdicts.includes('failed')) return 1;
  if (verdicts.includes('error')) return 2;
  if (verdicts.includes('not tested')) return 3;
  return verdicts.includes('passed') ? 0 : 2;
}
