import type { RunOptions } from '../src/context/options.ts';
import { unjudged } from '../src/context/requirement-tests.ts';
import { openRun, openStep, type Run, type RunParts } from '../src/context/run.ts';

/** Opens a run as a check sees it, whose violations are thrown. */
export function openTestStep(options: RunOptions, parts: RunParts): Run {
  return openStep(openRun(options, parts), 'a test', unjudged);
}
