import { allChecks } from '../src/areas/all-checks.ts';
import { answerChecks } from '../src/areas/transport/transport.ts';
import type { BudgetClock } from '../src/context/budget/budget.ts';
import { openHttpClient } from '../src/context/http/http-client.ts';
import type { RunOptions } from '../src/context/options.ts';
import { openPool, type Pool } from '../src/context/pool/pool.ts';
import { openRun } from '../src/context/run.ts';
import { runCheck } from '../src/suite/run-check.ts';
import { finalizeOutcomes, Judge } from '../src/verdict/judge.ts';
import type { CheckOutcome } from '../src/verdict/report.ts';

export interface CheckInputs {
  /** The pool to use; without it, new agents are registered. */
  readonly pool?: Pool | undefined;
  /** A clock in which waits take no time. */
  readonly pace?: BudgetClock | undefined;
  /** Whether the remaining checks can be omitted after this outcome. */
  readonly isEnough?: (outcome: CheckOutcome) => boolean;
}

/** The ids of the checks that examine every answer of a run. They run at its end, even if it ends early. */
export const answerCheckIds: readonly string[] = answerChecks.map(({ id }) => id);

/** Runs only the checks with these ids, in the order of the suite. */
export async function runChecks(
  ids: readonly string[],
  options: RunOptions,
  { pool = openPool(undefined, options.baseUrl), pace, isEnough = () => false }: CheckInputs = {},
): Promise<readonly CheckOutcome[]> {
  const http = openHttpClient(options.baseUrl);
  // A pool that is not empty makes another run with the same seed choose other handles.
  pool.noteAttempt();
  try {
    const run = openRun(options, { http, pool, ...(pace === undefined ? {} : { clock: pace }) });
    const outcomes: CheckOutcome[] = [];
    const judge = new Judge();
    let isOver = false;
    for (const check of allChecks.filter(({ id }) => ids.includes(id))) {
      if (isOver && !answerCheckIds.includes(check.id)) continue;
      const outcome = await runCheck(check, run, pool, options, judge);
      outcomes.push(outcome);
      isOver ||= isEnough(outcome);
    }
    return finalizeOutcomes(outcomes, new Map());
  } finally {
    http.close();
  }
}
