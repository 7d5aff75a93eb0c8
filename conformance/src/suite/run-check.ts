import type { Spent } from '../context/budget.ts';
import type { Check, Observation } from '../context/check.ts';
import { type Cost, noCost } from '../context/cost.ts';
import { BudgetExceeded, Skipped, Violation } from '../context/expectations.ts';
import { type Exchange, NoAnswer } from '../context/http/http-client.ts';
import type { RunOptions } from '../context/options.ts';
import { missingNeedOf } from '../context/plan.ts';
import type { Pool } from '../context/pool/pool.ts';
import type { Run, UsedRegistration } from '../context/run.ts';
import { type CheckOutcome, type ObservationOutcome, toObservationOutcome } from './report.ts';
import { exchangeOf, showExchange } from './shown-exchange.ts';
import type { Verdict } from './verdict.ts';

const trailMaxLength = 12;

/** Makes one check and says how it ended. */
export async function runCheck(check: Check, run: Run, pool: Pool, options: RunOptions): Promise<CheckOutcome> {
  const startedAt = performance.now();
  const spentBefore = { ...run.budget.spent };
  run.takeTrail();
  const lack = missingNeedOf(options, check);
  const failure = await (lack === undefined ? check.judge(run) : Promise.reject(new Skipped(lack))).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const sockets = await run.stream.closeAll();
  const { registrations, exchanges } = run.takeTrail();
  const verdict = failure === undefined ? 'passed' : verdictOf(failure.error);
  // What was wrong is asked for again next time, for it may be mended by then.
  if (verdict === 'failed') for (const { name } of registrations) pool.forget(name);
  const exchange = failure === undefined ? undefined : exchangeOf(failure.error);
  const show = (one: Exchange) => showExchange(one, run.redaction, run.tokens);
  const before = failure === undefined ? [] : exchanges.filter((one) => one !== exchange).slice(-trailMaxLength);
  return {
    id: check.id,
    rule: check.rule,
    covers: check.covers,
    verdict,
    reason: failure === undefined ? '' : run.redaction.apply(describe(failure.error)),
    exchange: exchange === undefined ? undefined : show(exchange),
    trail: before.map(show),
    // What was not tested judged nothing, that registration included.
    recordedAt: verdict === 'not tested' ? undefined : registrations.find(isRecorded)?.recordedAt,
    cost: { ...costSince(spentBefore, run.budget.spent), sockets },
    milliseconds: Math.round(performance.now() - startedAt),
  };
}

/** Looks at what the server chose; whatever goes wrong fails nothing. */
export async function runObservation(look: Observation, run: Run, options: RunOptions): Promise<ObservationOutcome> {
  const lack = missingNeedOf(options, look);
  const spentBefore = { ...run.budget.spent };
  const choice = await (lack === undefined ? look.observe(run) : Promise.reject(new Skipped(lack))).then(
    (seen) => toObservationOutcome(look, seen, run.redaction),
    (error: unknown) => ({
      ...{ id: look.id, question: look.question, covers: look.covers },
      observed: `could not be observed: ${run.redaction.apply(describe(error))}`,
      matchesDecision: undefined,
    }),
  );
  const sockets = await run.stream.closeAll();
  return { ...choice, cost: { ...costSince(spentBefore, run.budget.spent), sockets } };
}

function isRecorded({ recordedAt }: UsedRegistration): boolean {
  return recordedAt !== undefined;
}

function costSince(before: Readonly<Spent>, after: Readonly<Spent>): Cost {
  const cost = { ...noCost };
  for (const name of ['writes', 'contactRequests', 'messages', 'uploads', 'creditsMinor'] as const) {
    cost[name] = after[name] - before[name];
  }
  return cost;
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof Skipped) return 'not tested';
  // That it went silent in the middle is something that the server did.
  if (error instanceof Violation || error instanceof NoAnswer) return 'failed';
  return 'error';
}

function describe(error: unknown): string {
  if (error instanceof Violation || error instanceof Skipped || error instanceof NoAnswer) return error.message;
  if (error instanceof BudgetExceeded) return error.message;
  return error instanceof Error ? `error of the suite: ${error.stack ?? error.message}` : String(error);
}
