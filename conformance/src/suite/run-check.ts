import type { BudgetUsage } from '../context/budget/budget.ts';
import { noCost } from '../context/budget/cost.ts';
import { type Check, noRequirementTests, type Observation, openRunForStep, type Step } from '../context/check.ts';
import type { Exchange } from '../context/http/http-client.ts';
import type { RunOptions } from '../context/options.ts';
import { findSkipReason } from '../context/plan.ts';
import type { Pool } from '../context/pool/pool.ts';
import type { RunSession } from '../context/run.ts';
import { type Judge, worstVerdictOf } from '../verdict/judge.ts';
import { findOmittedRequirement } from '../verdict/leave-out.ts';
import { recordCheck } from '../verdict/record.ts';
import {
  type CheckOutcome,
  describeError,
  describeFinding,
  type ObservationOutcome,
  type OmittedRequirements,
} from '../verdict/report.ts';
import { readRequirements } from '../verdict/requirements.ts';
import { exchangeOf, toShownExchange } from '../verdict/shown-exchange.ts';
import { writeFindingScript } from './reproduction/reproduce-finding.ts';

const trailMaxLength = 12;
const observedMaxLength = 600;

/** All checks of a run must share one `judge`, because it remembers failures. */
export async function runCheck(
  check: Check,
  run: RunSession,
  pool: Pool,
  options: RunOptions,
  judge: Judge,
): Promise<CheckOutcome> {
  const startedAt = run.clock.now();
  run.takeTrail();
  const checkStart = run.journal.entries.length;
  const { value: record, cost } = await measureCost(run, () =>
    recordCheck(check.covers, (tests) =>
      attempt(check, run, options, () => check.judge(openRunForStep(run, check.id, tests))),
    ),
  );
  const { registrations, exchanges } = run.takeTrail();
  const found = judge.judge(record);
  const verdict = worstVerdictOf(found.map((finding) => finding.verdict));
  const worst = found.find((finding) => finding.verdict === verdict);
  // Later runs repeat these registrations, because the server may be fixed by then.
  if (verdict === 'failed') for (const { name } of registrations) pool.forget(name);
  const exchange = exchangeOf(worst?.error);
  const shown = (one: Exchange | undefined) => (one === undefined ? undefined : toShownExchange(one, run));
  const before = verdict === 'passed' ? [] : exchanges.filter((one) => one !== exchange).slice(-trailMaxLength);
  return {
    id: check.id,
    rule: check.rule,
    covers: check.covers,
    verdict,
    cost,
    reason: worst === undefined ? '' : describeFinding(worst, run.redaction),
    findings: found.map((finding) => ({
      requirement: finding.requirement,
      verdict: finding.verdict,
      because: finding.because,
      reason: describeFinding(finding, run.redaction),
      exchange: shown(exchangeOf(finding.error)),
      script: writeFindingScript(finding, { check, checkStart, last: exchanges.at(-1) }, { run, pool, options }),
    })),
    exchange: shown(exchange),
    trail: before.map((one) => toShownExchange(one, run)),
    // A check that was not tested did not use the registration.
    recordedAt:
      verdict === 'not tested'
        ? undefined
        : registrations.find(({ recordedAt }) => recordedAt !== undefined)?.recordedAt,
    milliseconds: run.clock.now() - startedAt,
  };
}

/** Makes an observation, whose errors fail no requirement. Returns undefined if it needs an omitted part. */
export async function runObservation(
  one: Observation,
  run: RunSession,
  options: RunOptions,
  leftOut: OmittedRequirements,
): Promise<ObservationOutcome | undefined> {
  const observe = () => one.observe(openRunForStep(run, one.id, noRequirementTests));
  const { value: behaviour, cost } = await measureCost(run, () =>
    attempt(one, run, options, observe).catch((error: unknown) => {
      if (findOmittedRequirement(error, leftOut) !== undefined) return undefined;
      return { observed: `could not be observed: ${describeError(error)}`, matchesDecision: undefined };
    }),
  );
  if (behaviour === undefined) return undefined;
  const { id, covers, question } = one;
  const paragraphs = readRequirements().flatMap((row) => (covers.includes(row.id) ? [`§${row.paragraph}`] : []));
  return {
    id,
    covers,
    cost,
    question: `${question} (${paragraphs.join(', ')})`,
    observed: run.redaction.apply(behaviour.observed).slice(0, observedMaxLength),
    matchesDecision: behaviour.matchesDecision,
  };
}

/** Runs a step until it ends or the user interrupts the run. Throws if an option that the step needs was not given. */
async function attempt<T>(step: Step, run: RunSession, options: RunOptions, work: () => Promise<T>): Promise<T> {
  const missing = findSkipReason(options, step);
  if (missing !== undefined) throw missing;
  return await Promise.race([work(), run.interruption]);
}

async function measureCost<T>(run: RunSession, work: () => Promise<T>) {
  const before: Readonly<BudgetUsage> = { ...run.budget.spent };
  const value = await work();
  const sockets = await run.stream.closeAll();
  const cost = { ...noCost, sockets };
  for (const name of ['writes', 'contactRequests', 'messages', 'uploads', 'creditsMinor'] as const) {
    cost[name] = run.budget.spent[name] - before[name];
  }
  return { value, cost };
}
