import type { Cases } from '../context/requirement-tests.ts';

/**
 * What became of a requirement. `error` is the suite's own fault and never the
 * server's; `inconclusive` met a server that was busy or silent; `not tested` wants
 * something that was not there; `not judged` depends on a requirement that failed, or
 * on something that few servers have and that the run did not ask for.
 */
export type Verdict = 'passed' | 'failed' | 'inconclusive' | 'not tested' | 'not judged' | 'not applicable' | 'error';

/** What a check found out about one requirement. */
export interface Finding {
  readonly requirement: string;
  readonly verdict: Exclude<Verdict, 'not applicable'>;
  /** What was thrown, unless it passed. */
  readonly error?: unknown;
  /** The failed requirement without which this one cannot be judged. */
  readonly because?: string;
  /** How many of its cases passed, where that is not all of them. */
  readonly cases?: Cases;
}

/** The requirements that a run leaves out, with the words of its options that say so. */
export type LeftOut = ReadonlyMap<string, string>;

/** 0: all that was judged passed, 1: something failed, 2: the suite could not run, 3: nothing failed but something could not be judged. */
export type ExitCode = 0 | 1 | 2 | 3;
