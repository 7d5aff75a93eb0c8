import { aborted } from 'node:util';
import { allChecks } from '../areas/all-checks.ts';
import { allObservations } from '../areas/all-observations.ts';
import { CannotRun } from '../context/cannot-run.ts';
import { answerTimeouts, openHttpClient } from '../context/http/http-client.ts';
import { isObject } from '../context/json.ts';
import type { RunOptions } from '../context/options.ts';
import {
  findExceededLimits,
  formatPlan,
  makePlan,
  type Plan,
  type PoolStatus,
  sortPlanSteps,
} from '../context/plan.ts';
import { describeUsedUpAgents } from '../context/pool/agent-usage.ts';
import { openPool, type Pool } from '../context/pool/pool.ts';
import { listDueRegistrations } from '../context/pool/registrar.ts';
import { openRun, type RunSession } from '../context/run.ts';
import { suiteVersion } from '../package-files.ts';
import { deriveOutcome, exitCodeOf, finalizeOutcomes, Judge } from '../verdict/judge.ts';
import { adviseMissingParts } from '../verdict/leave-out.ts';
import type {
  CheckOutcome,
  ExitCode,
  ObservationOutcome,
  OmittedRequirements,
  Report,
  RequirementOutcome,
} from '../verdict/report.ts';
import { type Requirement, readRequirements } from '../verdict/requirements.ts';
import { openLiveWorld } from '../world/live-world.ts';
import { type RunWorld, receiveSignal } from '../world/world.ts';
import { readBaseline } from './baseline.ts';
import { findWebsiteHint, readOwnProfile, type ServerAccess } from './find-server.ts';
import { runCheck, runObservation } from './run-check.ts';
import { type RunScope, selectScope } from './select-scope.ts';

/** Functions that receive the progress of a run. */
export interface RunListener {
  /** Called with each message for the user. */
  log(line: string): void;
  /** Called before step number `at` of `of` steps; `what` is its id. */
  step(at: number, of: number, what: string): void;
  /** Called before the run waits this many milliseconds for a rate limit of the server. */
  wait(ms: number): void;
}

const unwatched: RunListener = { log: () => undefined, step: () => undefined, wait: () => undefined };

/** Judges a server and returns the report; after an abort of the signal, a report of the results so far. */
export async function judgeServer(
  options: RunOptions,
  watch: RunListener = unwatched,
  interruption: AbortSignal = new AbortController().signal,
  world: RunWorld = openLiveWorld(),
): Promise<Report> {
  const signal = receiveSignal(world, interruption);
  const all = readRequirements();
  const baseline = new Map(world.value('baseline', null, () => [...readBaseline(options.baselineFile, all)]));
  const scope = selectScope(all, options);
  const known = openPool(options.agentsFile, options.baseUrl, world);
  const http = openHttpClient(options.baseUrl, answerTimeouts(options.timeScale), world);
  const startedAt = new Date(world.now());
  try {
    const settled = preparePool({ http, world }, known, options, watch);
    // An interruption by the user also ends the wait for a server that does not answer.
    const interrupted = aborted(signal, signal).then((): never => {
      throw new CannotRun('The run was interrupted before its first check.');
    });
    const { pool, notes: poolNotes } = await Promise.race([settled, interrupted]);
    const notes = [...scope.notes, ...poolNotes];
    for (const note of notes) watch.log(note);
    const run = openRun(options, { http, pool, noteWait: watch.wait, world, signal });
    const plan = makePlan(scope, options, poolStatusOf(run, pool, options));
    for (const line of formatPlan(plan)) watch.log(line);
    const excesses = findExceededLimits(plan);
    if (excesses.length > 0) throw new CannotRun(`The plan exceeds its limits: ${excesses.join('; ')}.`);
    const parts = { run, pool, options, leftOut: scope.leftOut, watch, signal };
    const { outcomes, observations } = await executePlan(plan, parts);
    pool.noteRecent(run.budget.recent());
    const [done, steps] = [outcomes.length + observations.length, plan.checks.length + plan.observations.length];
    const incomplete = signal.aborted ? `the run was interrupted in step ${done} of ${steps}` : undefined;
    const findings = {
      outcomes,
      observations,
      allChecks,
      allObservations,
      baseline,
      leftOut: scope.leftOut,
      strict: options.strict,
      incomplete,
    };
    const requirements = concerned(all, scope, outcomes).map((requirement) => deriveOutcome(requirement, findings));
    const registration = requirements.find(({ requirement: { id } }) => id === 'AP-REG-001');
    if (registration?.verdict === 'failed' && pool.agent() === undefined)
      notes.push(`No agent could be registered at ${options.baseUrl}: check the address and who may register.`);
    return {
      suiteVersion,
      baseUrl: options.baseUrl,
      wsUrl: options.wsUrl,
      startedAt: startedAt.toISOString(),
      milliseconds: world.now() - startedAt.getTime(),
      strict: options.strict,
      profiles: options.profiles,
      without: options.without,
      seed: run.seed,
      shuffled: options.shuffle,
      readOnly: options.readOnly,
      incomplete,
      notes: [...notes, ...adviseMissingParts(outcomes)],
      exitCode: exitCodeOfRun(plan, requirements),
      plan,
      spent: run.budget.spent,
      usage: describeUsedUpAgents(pool.usage(), pool.agents(), plan.cost.uploads),
      tokensIn: pool.tokensIn(),
      requirements,
      checks: outcomes,
      observations,
    };
  } finally {
    http.close();
  }
}

function exitCodeOfRun({ checks, observations }: Plan, requirements: readonly RequirementOutcome[]): ExitCode {
  // A run without checks is not a success.
  if (checks.length + observations.length === 0) return 2;
  return exitCodeOf(
    requirements.map(({ verdict, expected, because }) => ({
      verdict,
      isExpectedToFail: expected !== undefined,
      isBlocked: because.length > 0,
    })),
  );
}

/** The selected requirements, and others that a selected check found violated because it depends on them. */
function concerned(
  all: readonly Requirement[],
  { requirements }: RunScope,
  outcomes: readonly CheckOutcome[],
): readonly Requirement[] {
  const failed = outcomes.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'failed'));
  const ids = new Set([...requirements.map(({ id }) => id), ...failed.map(({ requirement }) => requirement)]);
  return all.filter(({ id }) => ids.has(id));
}

/** Plans a run without sending a request. */
export function planRun(options: RunOptions): Plan {
  const scope = selectScope(readRequirements(), options);
  const pool = openPool(options.agentsFile, options.baseUrl);
  const http = openHttpClient(options.baseUrl);
  const run = openRun(options, { http, pool });
  http.close();
  return makePlan(scope, options, poolStatusOf(run, pool, options));
}

function poolStatusOf({ budget }: RunSession, pool: Pool, options: RunOptions): PoolStatus {
  const [registrations, left] = [budget.registrationsPlanned(), budget.registrationsLeft()];
  return { registrations, left, due: listDueRegistrations(pool, options) };
}

interface RunContext {
  readonly run: RunSession;
  readonly pool: Pool;
  readonly options: RunOptions;
  readonly leftOut: OmittedRequirements;
  readonly watch: RunListener;
  readonly signal: AbortSignal;
}

async function executePlan(plan: Plan, { run, pool, options, leftOut, watch, signal }: RunContext) {
  const of = plan.checks.length + plan.observations.length;
  const outcomes: CheckOutcome[] = [];
  const observations: (ObservationOutcome | undefined)[] = [];
  const judge = new Judge(leftOut);
  for (const one of sortPlanSteps(plan, options.shuffle ? run.randomOf('order') : undefined)) {
    if (signal.aborted) break;
    watch.step(outcomes.length + observations.length + 1, of, one.id);
    if ('judge' in one) outcomes.push(await runCheck(one, run, pool, options, judge));
    else observations.push(await runObservation(one, run, options, leftOut));
  }
  return {
    outcomes: finalizeOutcomes(outcomes, leftOut),
    observations: observations.filter((one) => one !== undefined),
  };
}

/**
 * Checks that the server responds and still recognizes the primary agent; otherwise the pool is unusable.
 * Returns the pool for the run and notes about the server.
 */
async function preparePool(way: ServerAccess, pool: Pool, { baseUrl }: RunOptions, { log }: RunListener) {
  const agent = pool.agent();
  const answer = await readOwnProfile(way, baseUrl, agent?.token);
  if (agent === undefined) return { pool, notes: findWebsiteHint(answer, baseUrl) };
  const { status, json } = answer;
  if (status === 200 && isObject(json) && isObject(json['bot']) && json['bot']['id'] === agent.id) {
    await prepareOtherAgents(way, pool, baseUrl, log);
    return { pool, notes: [] };
  }
  if (status === 401) {
    log(`the server no longer knows the agent ${agent.handle} of the pool; the agent is excluded`);
    pool.discard();
    return { pool, notes: [] };
  }
  log(`the server answers ${status} to the agent ${agent.handle} of the pool, so this run does not use the pool`);
  return { pool: openPool(undefined, baseUrl, way.world), notes: findWebsiteHint(answer, baseUrl) };
}

// Replaces pooled agents whose token has expired: only the primary agent receives a new token in each run.
async function prepareOtherAgents(
  way: ServerAccess,
  pool: Pool,
  baseUrl: string,
  log: RunListener['log'],
): Promise<void> {
  for (const role of ['partner', 'limited'] as const) {
    const agent = pool.agent(role);
    if (agent === undefined || (await readOwnProfile(way, baseUrl, agent.token)).status !== 401) continue;
    log(`the server no longer knows the agent ${agent.handle} of the pool; a new agent replaces it`);
    pool.discardOther(role);
  }
}
