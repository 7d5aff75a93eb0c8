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

/** The inputs of a selection of checks in addition to the options of a run. */
export interface CheckInputs {
  /** The pool of agents to use instead of new agents. */
  readonly pool?: Pool | undefined;
  /** A clock in which waits take no time. */
  readonly pace?: BudgetClock | undefined;
  /** Whether the run can end after this outcome. */
  readonly isEnough?: (outcome: CheckOutcome) => boolean;
}

/** The checks of all answers of a run; they are judged at the end of the run, even if it ends early. */
export const answerCheckIds: readonly string[] = answerChecks.map(({ id }) => id);

/** Runs only the checks with these ids, in the order of the suite. */
export async function runChecks(
  ids: readonly string[],
  options: RunOptions,
  { pool = openPool(undefined, options.baseUrl), pace, isEnough = () => false }: CheckInputs = {},
): Promise<readonly CheckOutcome[]> {
  const http = openHttpClient(options.baseUrl);
  // Makes the pool non-empty, so that another run with the same seed chooses other handles on the same server.
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
