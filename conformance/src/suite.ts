import type { Check, Look } from './check.ts';
import { allChecks } from './checks/all-checks.ts';
import { allLooks } from './checks/looks.ts';
import { isObject } from './json.ts';
import { BudgetFault, Deviation, Unmet } from './judge.ts';
import type { RunOptions } from './options.ts';
import { openPool, type Pool } from './pool.ts';
import {
  type CheckOutcome,
  type ChoiceOutcome,
  exchangeOf,
  type Report,
  type RequirementOutcome,
  showChoice,
  showExchange,
} from './report.ts';
import { type Requirement, readRequirements } from './requirements.ts';
import { openRun, type Run } from './run.ts';
import { exitCodeOf, type Verdict, worstOf } from './verdict.ts';
import { type Exchange, NoAnswer, openWire, type Wire } from './wire.ts';

/** The suite could not begin; the message says why. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

/** Tells how far a run is, one line at a time. */
export type Say = (line: string) => void;

/** Judges a server. */
export async function judgeServer(options: RunOptions, say: Say = () => undefined): Promise<Report> {
  const requirements = select(readRequirements(), options);
  const ids = new Set(requirements.map(({ id }) => id));
  const isSelected = ({ covers }: Check | Look) => covers.some((id) => ids.has(id));
  const checks = allChecks.filter(isSelected);
  const looks = allLooks.filter(isSelected);
  const found = openPool(options.agentsFile, options.baseUrl, () => new Date());
  const wire = openWire(options.baseUrl);
  try {
    const pool = await settlePool(wire, found, options, say);
    const run = openRun(options, wire, pool, say);
    say(`${checks.length} checks and ${looks.length} looks at ${options.baseUrl}`);
    say(
      `at most ${run.budget.registrationsLeft()} registrations and ${options.writesPerMinute || 'any number of'} changes a minute`,
    );
    const startedAt = new Date().toISOString();
    const outcomes: CheckOutcome[] = [];
    for (const check of checks) outcomes.push(await judge(check, run, pool));
    const choices = await lookAround(looks, run);
    pool.noteWrites(run.budget.recentWrites());
    const judged = requirements.map((requirement) => conclude(requirement, outcomes, looks, choices, options.strict));
    const { registrations, writes } = run.budget.spent;
    return {
      baseUrl: options.baseUrl,
      startedAt,
      strict: options.strict,
      // Without a single check there is nothing to be content with.
      exitCode: checks.length + looks.length === 0 ? 2 : exitCodeOf(judged.map(({ verdict }) => verdict)),
      registrations,
      writes,
      requirements: judged,
      checks: outcomes,
      choices,
    };
  } finally {
    wire.close();
  }
}

function select(all: readonly Requirement[], { only, skip }: RunOptions): readonly Requirement[] {
  for (const id of [...only, ...skip]) {
    if (!all.some((row) => row.id.startsWith(id))) throw new CannotRun(`There is no requirement ${id}.`);
  }
  const isNamed = (row: Requirement, ids: readonly string[]) => ids.some((id) => row.id.startsWith(id));
  return all.filter((row) => (only.length === 0 || isNamed(row, only)) && !isNamed(row, skip));
}

/**
 * Sees that somebody answers at all, and that the agent of the last run is still
 * known; what earlier runs left is worth nothing otherwise.
 */
async function settlePool(wire: Wire, pool: Pool, { baseUrl }: RunOptions, say: Say): Promise<Pool> {
  const agent = pool.agent();
  const headers: Record<string, string> = agent === undefined ? {} : { authorization: `Bearer ${agent.token}` };
  const answer = await wire
    .ask({ method: 'GET', path: '/api/v1/bots/me', headers, body: '' })
    .catch((error: unknown) => {
      throw error instanceof NoAnswer ? new CannotRun(error.message) : error;
    });
  if (agent === undefined || isPassportOf(answer, agent.id)) return pool;
  if (answer.status === 401) {
    say(`the server does not know the agent ${agent.handle} of the pool any more; it is set aside`);
    pool.setAside();
    return pool;
  }
  say(
    `the server answers ${answer.status} to the agent ${agent.handle} of the pool; the pool is left alone in this run`,
  );
  return openPool(undefined, baseUrl, () => new Date());
}

function isPassportOf({ status, json }: Exchange, id: string): boolean {
  return status === 200 && isObject(json) && isObject(json['bot']) && json['bot']['id'] === id;
}

async function judge(check: Check, run: Run, pool: Pool): Promise<CheckOutcome> {
  const startedAt = performance.now();
  run.takeAsked();
  const failure = await check.judge(run).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const asked = run.takeAsked();
  const verdict = failure === undefined ? 'passed' : verdictOf(failure.error);
  // What was wrong is asked for again next time, for it may be mended by then.
  if (verdict === 'failed') for (const { name } of asked) pool.forget(name);
  const exchange = failure === undefined ? undefined : exchangeOf(failure.error);
  return {
    id: check.id,
    rule: check.rule,
    covers: check.covers,
    verdict,
    reason: failure === undefined ? '' : run.redaction.apply(describe(failure.error)),
    exchange: exchange === undefined ? undefined : showExchange(exchange, run.redaction),
    recordedAt: asked.find(({ recordedAt }) => recordedAt !== undefined)?.recordedAt,
    milliseconds: Math.round(performance.now() - startedAt),
  };
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

async function lookAround(looks: readonly Look[], run: Run): Promise<readonly ChoiceOutcome[]> {
  const choices: ChoiceOutcome[] = [];
  for (const { id, question, see } of looks) {
    const choice = await see(run).then(
      (seen) => showChoice(id, question, seen, run.redaction),
      (error: unknown) => ({
        id,
        question,
        seen: `could not be seen: ${run.redaction.apply(describe(error))}`,
        asDecided: undefined,
      }),
    );
    choices.push(choice);
  }
  return choices;
}

function conclude(
  requirement: Requirement,
  outcomes: readonly CheckOutcome[],
  looks: readonly Look[],
  choices: readonly ChoiceOutcome[],
  strict: boolean,
): RequirementOutcome {
  if (requirement.standing === 'ambiguous') {
    const look = looks.find(({ covers }) => covers.includes(requirement.id));
    return concludeOpen(requirement, strict ? choices.find(({ id }) => id === look?.id) : undefined);
  }
  if (requirement.standing === 'excluded') {
    return { requirement, verdict: 'not applicable', reason: requirement.reason };
  }
  const own = outcomes.filter(({ covers }) => covers.includes(requirement.id));
  const verdict = worstOf(own.map((outcome) => outcome.verdict));
  const decisive = own.find((outcome) => outcome.verdict === verdict);
  const reason = verdict === 'passed' ? noteRecording(own) : `${decisive?.id}: ${decisive?.reason}`;
  return { requirement, verdict, reason };
}

function concludeOpen(requirement: Requirement, choice: ChoiceOutcome | undefined): RequirementOutcome {
  if (choice === undefined) {
    return {
      requirement,
      verdict: 'not applicable',
      reason: `the specification leaves it open: ${requirement.reason}`,
    };
  }
  const reason = `${choice.question} Seen: ${choice.seen}`;
  if (choice.asDecided === undefined) return { requirement, verdict: 'not tested', reason };
  return { requirement, verdict: choice.asDecided ? 'passed' : 'failed', reason };
}

function noteRecording(outcomes: readonly CheckOutcome[]): string {
  const recorded = outcomes.find(({ recordedAt }) => recordedAt !== undefined);
  return recorded === undefined ? '' : `judged on a registration of ${recorded.recordedAt}`;
}
