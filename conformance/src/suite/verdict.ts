/**
 * What became of a requirement. `error` is the suite's own fault and never the
 * server's; `inconclusive` met a server that was busy or silent; `not tested` wants
 * something that was not there; `not judged` depends on a requirement that failed, or
 * on something that few servers have and that the run did not ask for.
 */
export type Verdict = 'passed' | 'failed' | 'inconclusive' | 'not tested' | 'not judged' | 'not applicable' | 'error';

// The worst that any check says is what holds of the requirement.
const fromWorst: readonly Verdict[] = [
  ...(['failed', 'error', 'inconclusive', 'not tested', 'not judged', 'passed', 'not applicable'] as const),
];

/** The verdict of a requirement out of those of its checks. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return fromWorst.find((verdict) => verdicts.includes(verdict)) ?? 'not tested';
}

/** 0: all that was judged passed, 1: something failed, 2: the suite could not run, 3: nothing failed but something could not be judged. */
export type ExitCode = 0 | 1 | 2 | 3;

/** A requirement at the end of a run, and whether a baseline had said that it fails. */
export interface Ending {
  readonly verdict: Verdict;
  readonly isExpectedToFail: boolean;
  /** Another requirement failed, and this one could not be judged without it. */
  readonly isBlocked?: boolean;
}

/** An entry of the baseline that was proved wrong: it is to be taken out. */
export function isStale({ verdict, isExpectedToFail }: Ending): boolean {
  return isExpectedToFail && (verdict === 'passed' || verdict === 'not applicable');
}

/** The exit code that tells scripts how the run ended. */
export function exitCodeOf(endings: readonly Ending[]): ExitCode {
  const has = (wanted: Verdict) => endings.some(({ verdict }) => verdict === wanted);
  if (endings.some(({ verdict, isExpectedToFail }) => verdict === 'failed' && !isExpectedToFail)) return 1;
  if (endings.some(isStale)) return 1;
  if (has('error')) return 2;
  if (has('not tested') || has('inconclusive') || endings.some(({ isBlocked }) => isBlocked)) return 3;
  // A run in which nothing was judged is nothing to be content with.
  return has('passed') || has('failed') ? 0 : 2;
}
