import { allChecks } from '../checks/all-checks.ts';
import { allObservations } from '../checks/all-observations.ts';
import type { Check, Observation } from '../context/check.ts';
import { noFailures } from '../context/claims/check-record.ts';
import { answerTimes, type Exchange, type HttpClient, NoAnswer, openHttpClient } from '../context/http/http-client.ts';
import { isObject } from '../context/json.ts';
import type { RunOptions } from '../context/options.ts';
import { excessesOf, formatPlan, makePlan, type Plan } from '../context/plan.ts';
import { describeUsage } from '../context/pool/agent-usage.ts';
import { openPool, type Pool, type PoolAgent } from '../context/pool/pool.ts';
import { openRun, type Run } from '../context/run.ts';
import { here } from '../world/here.ts';
import { now } from '../world/time.ts';
import { readBaseline } from './baseline.ts';
import { conclude } from './conclude.ts';
import type { CheckOutcome, ObservationOutcome, Report } from './report.ts';
import { type Requirement, readRequirements } from './requirements.ts';
import { runCheck, runObservation } from './run-check.ts';
import { suiteVersion } from './suite-version.ts';
import { exitCodeOf } from './verdict.ts';

/** The suite could not begin; the message says why. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

/** Follows a run while it goes on. */
export interface Watch {
  /** Something that people should know now. */
  say(line: string): void;
  /** What is being done next, as the how many of how many. */
  step(at: number, of: number, what: string): void;
}

const unwatched: Watch = { say: () => undefined, step: () => undefined };

/** The checks, observations and requirements that a run selects. */
interface Scope {
  readonly requirements: readonly Requirement[];
  readonly checks: readonly Check[];
  readonly observations: readonly Observation[];
}

/** Judges a server. */
export async function judgeServer(options: RunOptions, watch: Watch = unwatched): Promise<Report> {
  const all = readRequirements();
  const baseline = new Map(here().value('baseline', null, () => [...readBaseline(options.baselineFile, all)]));
  const scope = scopeOf(all, options);
  const found = openPool(options.agentsFile, options.baseUrl, () => new Date(now()));
  const http = openHttpClient(options.baseUrl, answerTimes(options.timeScale));
  const startedAt = new Date(now());
  try {
    const pool = await settlePool(http, found, options, watch);
    const run = openRun(options, http, pool, watch.say);
    const plan = makePlan(scope.checks, scope.observations, options, run.budget.registrationsPlanned());
    for (const line of formatPlan(plan)) watch.say(line);
    refuseExcess(plan);
    const { outcomes, observations } = await carryOut(plan, run, pool, options, watch);
    pool.noteRecent(run.budget.recent());
    const findings = { outcomes, observations, allChecks, allObservations, baseline, strict: options.strict };
    const requirements = concerned(all, scope, outcomes).map((requirement) => conclude(requirement, findings));
    const endings = requirements.map(({ verdict, expected, because }) => ({
      ...{ verdict, isExpectedToFail: expected !== undefined, isBlocked: because.length > 0 },
    }));
    return {
      ...{ suiteVersion, baseUrl: options.baseUrl, wsUrl: options.wsUrl, startedAt: startedAt.toISOString() },
      ...{ milliseconds: now() - startedAt.getTime(), strict: options.strict, profiles: options.profiles },
      // Without a single check there is nothing to be content with.
      exitCode: plan.checks.length + plan.observations.length === 0 ? 2 : exitCodeOf(endings),
      ...{ plan, spent: run.budget.spent, usage: usedUpAgents(pool, plan) },
      ...{ requirements, checks: outcomes, observations },
    };
  } finally {
    http.close();
  }
}

/** The selected requirements, and those that a selected check builds on and found violated. */
function concerned(
  all: readonly Requirement[],
  { requirements }: Scope,
  outcomes: readonly CheckOutcome[],
): readonly Requirement[] {
  const failed = outcomes.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'failed'));
  const ids = new Set([...requirements.map(({ id }) => id), ...failed.map(({ requirement }) => requirement)]);
  return all.filter(({ id }) => ids.has(id));
}

/** What a run would ask for; nobody is asked for anything. */
export function planRun(options: RunOptions): Plan {
  const { checks, observations } = scopeOf(readRequirements(), options);
  const pool = openPool(options.agentsFile, options.baseUrl, () => new Date(now()));
  const http = openHttpClient(options.baseUrl);
  const { budget } = openRun(options, http, pool, () => undefined);
  http.close();
  return makePlan(checks, observations, options, budget.registrationsPlanned());
}

function usedUpAgents(pool: Pool, { cost }: Plan): readonly string[] {
  const handles = Object.fromEntries(pool.agents().map(({ id, handle }) => [id, handle]));
  return describeUsage(pool.usage(), handles, cost.uploads);
}

function refuseExcess(plan: Plan): void {
  const excesses = excessesOf(plan);
  if (excesses.length > 0) throw new CannotRun(`The plan exceeds its limits: ${excesses.join('; ')}.`);
}

async function carryOut(plan: Plan, run: Run, pool: Pool, options: RunOptions, watch: Watch) {
  const of = plan.checks.length + plan.observations.length;
  const outcomes: CheckOutcome[] = [];
  const observations: ObservationOutcome[] = [];
  const failures = noFailures();
  const step = (id: string) => watch.step(outcomes.length + observations.length + 1, of, id);
  const judge = async (checks: readonly Check[]) => {
    for (const check of checks) {
      step(check.id);
      outcomes.push(await runCheck(check, run, pool, options, failures));
    }
  };
  const isLast = ({ needs = [] }: Check) => needs.includes('clock');
  const first = plan.checks.filter((check) => !isLast(check));
  await judge(first.filter(({ profile }) => profile === undefined));
  for (const one of plan.observations) {
    step(one.id);
    observations.push(await runObservation(one, run, options));
  }
  // What exhausts a limit comes after everything, or others would wait for it.
  await judge(first.filter(({ profile }) => profile !== undefined));
  // What moves the clock of the server comes last: nothing that another check made stays as it is.
  await judge(plan.checks.filter(isLast));
  return { outcomes, observations };
}

function scopeOf(all: readonly Requirement[], { only, skip, profiles }: RunOptions): Scope {
  for (const id of [...only, ...skip]) {
    if (!all.some((row) => row.id.startsWith(id))) throw new CannotRun(`${id} is not a requirement.`);
  }
  const isNamed = (row: Requirement, ids: readonly string[]) => ids.some((id) => row.id.startsWith(id));
  const requirements = all.filter((row) => (only.length === 0 || isNamed(row, only)) && !isNamed(row, skip));
  const ids = new Set(requirements.map(({ id }) => id));
  const isSelected = ({ covers }: Check | Observation) => covers.some((id) => ids.has(id));
  const isDeclared = ({ profile }: Check) => profile === undefined || profiles.includes(profile);
  return {
    requirements,
    checks: allChecks.filter((check) => isSelected(check) && isDeclared(check)),
    observations: allObservations.filter(isSelected),
  };
}

/**
 * Sees that somebody answers at all, and that the agent of the last run is still
 * known; what earlier runs left is worth nothing otherwise.
 */
async function settlePool(http: HttpClient, pool: Pool, { baseUrl }: RunOptions, { say }: Watch): Promise<Pool> {
  const agent = pool.agent();
  const answer = await askWhoIs(http, agent);
  if (agent === undefined) return pool;
  if (isPassportOf(answer, agent.id)) {
    await settleOthers(http, pool, say);
    return pool;
  }
  if (answer.status === 401) {
    say(`the server no longer knows the agent ${agent.handle} of the pool; the agent is excluded`);
    pool.setAside();
    return pool;
  }
  say(`the server answers ${answer.status} to the agent ${agent.handle} of the pool; the pool is not used in this run`);
  return openPool(undefined, baseUrl, () => new Date(now()));
}

// The token of the first is new in each run; theirs run out.
async function settleOthers(http: HttpClient, pool: Pool, say: Watch['say']): Promise<void> {
  for (const role of ['partner', 'limited'] as const) {
    const agent = pool.agent(role);
    if (agent === undefined || (await askWhoIs(http, agent)).status !== 401) continue;
    say(`the server no longer knows the agent ${agent.handle} of the pool; a new agent replaces it`);
    pool.setAsideOther(role);
  }
}

async function askWhoIs(http: HttpClient, agent: PoolAgent | undefined): Promise<Exchange> {
  const headers: Record<string, string> = agent === undefined ? {} : { authorization: `Bearer ${agent.token}` };
  return await http.send({ method: 'GET', path: '/api/v1/bots/me', headers, body: '' }).catch((error: unknown) => {
    throw error instanceof NoAnswer ? new CannotRun(error.message) : error;
  });
}

function isPassportOf({ status, json }: Exchange, id: string): boolean {
  return status === 200 && isObject(json) && isObject(json['bot']) && json['bot']['id'] === id;
}
