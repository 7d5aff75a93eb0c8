import { noRequirementTests, openStep, type Run } from '../src/context/check.ts';
import type { RunOptions } from '../src/context/options.ts';
import { openRun, type RunDependencies } from '../src/context/run.ts';

/** Opens a run that a test can use like a check; it throws violations. */
export function openTestStep(options: RunOptions, parts: RunDependencies): Run {
  return openStep(openRun(options, parts), 'a test', noRequirementTests);
}
