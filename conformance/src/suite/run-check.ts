import type { Spent } from '../context/budget.ts';
import type { Check, Observation, Step } from '../context/check.ts';
import { CheckRecord, type Failures, type Finding } from '../context/claims/check-record.ts';
import { recordClaims } from '../context/claims/claims.ts';
import { type Cost, noCost } from '../context/cost.ts';
import { BudgetExceeded, Inconclusive, NotJudged, Skipped, Violation } from '../context/expectations.ts';
import { type Exchange, NoAnswer } from '../context/http/http-client.ts';
import type { RunOptions } from '../context/options.ts';
import { missingNeedOf } from '../context/plan.ts';
import type { Pool } from '../context/pool/pool.ts';
import type { Run, UsedRegistration } from '../context/run.ts';
import { now } from '../world/time.ts';
import { type CheckFinding, type CheckOutcome, type ObservationOutcome, toObservationOutcome } from './report.ts';
import { reproduceFinding } from './reproduction/reproduce-finding.ts';
import { exchangeOf, showExchange } from './shown-exchange.ts';
import { worstOf } from './verdict.ts';

const trailMaxLength = 12;

/** Runs a check and returns its outcome; `failures` are those of the run so far. */
export async function runCheck(
  check: Check,
  run: Run,
  pool: Pool,
  options: RunOptions,
  failures: Failures,
): Promise<CheckOutcome> {
  const startedAt = now();
  run.takeTrail();
  const checkStart = run.journal.entries.length;
  const record = new CheckRecord(check.covers, failures);
  const { failure, cost } = await attempt(check, run, options, () => recordClaims(record, () => check.judge(run)));
  const { registrations, exchanges } = run.takeTrail();
  const found = record.end(failure);
  const verdict = worstOf(found.map((finding) => finding.verdict));
  const worst = found.find((finding) => finding.verdict === verdict);
  // A later run repeats these registrations, as the server may be fixed by then.
  if (verdict === 'failed') for (const { name } of registrations) pool.forget(name);
  const exchange = exchangeOf(worst?.error);
  const show = (one: Exchange) => showExchange(one, run.redaction, run.tokens);
  const before = verdict === 'passed' ? [] : exchanges.filter((one) => one !== exchange).slice(-trailMaxLength);
  return {
    ...{ id: check.id, rule: check.rule, covers: check.covers, verdict, cost },
    reason: worst === undefined ? '' : reasonOf(worst, run),
    findings: found.map((finding) => ({
      ...toCheckFinding(finding, run),
      script: reproduceFinding(finding, { run, pool, options, check, checkStart, last: exchanges.at(-1) }),
    })),
    exchange: exchange === undefined ? undefined : show(exchange),
    trail: before.map(show),
    // A skipped check judged nothing, so it used no registration either.
    recordedAt: verdict === 'not tested' ? undefined : registrations.find(isRecorded)?.recordedAt,
    milliseconds: now() - startedAt,
  };
}

function toCheckFinding(finding: Finding, run: Run): Omit<CheckFinding, 'script'> {
  const { requirement, verdict, because, error } = finding;
  const exchange = exchangeOf(error);
  return {
    ...{ requirement, verdict, because, reason: reasonOf(finding, run) },
    exchange: exchange === undefined ? undefined : showExchange(exchange, run.redaction, run.tokens),
  };
}

function reasonOf({ verdict, because, error }: Finding, { redaction }: Run): string {
  if (verdict === 'passed') return '';
  const reason = redaction.apply(describe(error));
  return because === undefined ? reason : `because of ${because}: ${reason}`;
}

/** Makes an observation; its failure fails no requirement. */
export async function runObservation(one: Observation, run: Run, options: RunOptions): Promise<ObservationOutcome> {
  const { value, failure, cost } = await attempt(one, run, options, () => one.observe(run));
  const behaviour = value ?? {
    observed: `could not be observed: ${describe(failure?.error)}`,
    matchesDecision: undefined,
  };
  return { ...toObservationOutcome(one, behaviour, run.redaction), cost };
}

/** Runs a step unless an option is missing, and measures its cost. */
async function attempt<T>(step: Step, run: Run, options: RunOptions, work: () => Promise<T>) {
  const missing = missingNeedOf(options, step);
  const before = { ...run.budget.spent };
  const started = missing === undefined ? work() : Promise.reject(missing);
  const result = await Promise.race([started, run.interruption]).then(
    (value) => ({ value, failure: undefined }),
    (error: unknown) => ({ value: undefined, failure: { error } }),
  );
  const sockets = await run.stream.closeAll();
  return { ...result, cost: { ...costSince(before, run.budget.spent), sockets } };
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

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = [Violation, Inconclusive, Skipped, NotJudged, NoAnswer, BudgetExceeded].some(
    (kind) => error instanceof kind,
  );
  return isExpected ? error.message : `error of the suite: ${error.stack ?? error.message}`;
}
