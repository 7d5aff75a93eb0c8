import type { Spent } from '../context/budget.ts';
import type { Check, Look } from '../context/check.ts';
import { type Cost, noCost } from '../context/cost.ts';
import { BudgetFault, Deviation, Unmet } from '../context/expectations.ts';
import { type Exchange, NoAnswer } from '../context/http/http-client.ts';
import type { RunOptions } from '../context/options.ts';
import { lackOf } from '../context/plan.ts';
import type { Pool } from '../context/pool/pool.ts';
import type { AskedRegistration, Run } from '../context/run.ts';
import { type CheckOutcome, type ChoiceOutcome, showChoice } from './report.ts';
import { exchangeOf, showExchange } from './shown-exchange.ts';
import type { Verdict } from './verdict.ts';

const trailMaxLength = 12;

/** Makes one check and says how it ended. */
export async function judgeCheck(check: Check, run: Run, pool: Pool, options: RunOptions): Promise<CheckOutcome> {
  const startedAt = performance.now();
  const spentBefore = { ...run.budget.spent };
  run.takeTrail();
  const lack = lackOf(options, check);
  const failure = await (lack === undefined ? check.judge(run) : Promise.reject(new Unmet(lack))).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const sockets = await run.stream.closeAll();
  const { registrations, exchanges } = run.takeTrail();
  const verdict = failure === undefined ? 'passed' : verdictOf(failure.error);
  // What was wrong is asked for again next time, for it may be mended by then.
  if (verdict === 'failed') for (const { name } of registrations) pool.forget(name);
  const exchange = failure === undefined ? undefined : exchangeOf(failure.error);
  const show = (one: Exchange) => showExchange(one, run.redaction, run.owners);
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
export async function lookAt(look: Look, run: Run, options: RunOptions): Promise<ChoiceOutcome> {
  const lack = lackOf(options, look);
  const spentBefore = { ...run.budget.spent };
  const choice = await (lack === undefined ? look.see(run) : Promise.reject(new Unmet(lack))).then(
    (seen) => showChoice(look, seen, run.redaction),
    (error: unknown) => ({
      ...{ id: look.id, question: look.question, covers: look.covers },
      seen: `could not be seen: ${run.redaction.apply(describe(error))}`,
      asDecided: undefined,
    }),
  );
  const sockets = await run.stream.closeAll();
  return { ...choice, cost: { ...costSince(spentBefore, run.budget.spent), sockets } };
}

function isRecorded({ recordedAt }: AskedRegistration): boolean {
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
  if (error instanceof Unmet) return 'not tested';
  // That it went silent in the middle is something that the server did.
  if (error instanceof Deviation || error instanceof NoAnswer) return 'failed';
  return 'error';
}

function describe(error: unknown): string {
  if (error instanceof Deviation || error instanceof Unmet || error instanceof NoAnswer) return error.message;
  if (error instanceof BudgetFault) return error.message;
  return error instanceof Error ? `a fault of the suite: ${error.stack ?? error.message}` : String(error);
}
