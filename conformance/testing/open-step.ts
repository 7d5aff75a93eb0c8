import { noRequirementTests, openRunForStep, type Run } from '../src/context/check.ts';
import type { RunOptions } from '../src/context/options.ts';
import { openRun, type RunDependencies } from '../src/context/run.ts';

/** Opens a run that a test can use like a check; it throws violations. */
export function openRunForTest(options: RunOptions, parts: RunDependencies): Run {
  return openRunForStep(openRun(options, parts), 'a test', noRequirementTests);
}
