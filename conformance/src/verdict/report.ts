import type { BudgetUsage } from '../context/budget/budget.ts';
import type { Cost } from '../context/budget/cost.ts';
import type { CaseCounts } from '../context/check.ts';
import {
  BudgetExceededError,
  InconclusiveError,
  NotJudgedError,
  SkippedError,
  Violation,
} from '../context/expectations.ts';
import { NoAnswerError } from '../context/http/http-client.ts';
import type { Plan } from '../context/plan.ts';
import type { TokenLocation } from '../context/pool/pool.ts';
import type { Redaction } from '../context/redaction.ts';
import type { Requirement } from './requirements.ts';
import type { ShownExchange } from './shown-exchange.ts';

/**
 * The outcome of a requirement. `error`: a fault of the suite, never of the server; `inconclusive`: the server was busy
 * or silent; `not tested`: a precondition was missing; `not judged`: another requirement failed, or few servers support
 * an option that it needs and the run did not select it by id.
 */
export type Verdict = 'passed' | 'failed' | 'inconclusive' | 'not tested' | 'not judged' | 'not applicable' | 'error';

/** The verdict of a check about one requirement. */
export interface Finding {
  readonly requirement: string;
  readonly verdict: Exclude<Verdict, 'not applicable'>;
  /** The error that led to the verdict; absent if the requirement passed. */
  readonly error?: unknown;
  /** The id of the failed requirement that kept this one from being judged. */
  readonly because?: string;
  /** How many cases of the requirement were tested; absent if all were. */
  readonly cases?: CaseCounts;
}

/** For each omitted requirement, by id, the option that omits it. */
export type OmittedRequirements = ReadonlyMap<string, string>;

/**
 * 0: everything judged passed, 1: something failed, 2: the suite could not run, 3: nothing failed, but something could not
 * be judged.
 */
export type ExitCode = 0 | 1 | 2 | 3;

/** A script that repeats a failure. */
export interface Reproduction {
  /** The file name of the script. */
  readonly name: string;
  readonly text: string;
  /** The files that the script reads, in the same folder. */
  readonly files: readonly ScriptFile[];
}

export interface ScriptFile {
  readonly name: string;
  readonly content: Uint8Array;
}

export interface CheckOutcome {
  readonly id: string;
  readonly rule: string;
  readonly covers: readonly string[];
  /** The worst verdict of the findings. */
  readonly verdict: Verdict;
  /** The reason for the verdict, unless the check passed. */
  readonly reason: string;
  /** One finding per requirement, including requirements on which the check only depends. */
  readonly findings: readonly CheckFinding[];
  /** The exchange that decided the verdict; undefined if the check passed. */
  readonly exchange: ShownExchange | undefined;
  /** The exchanges before it, oldest first; empty if the check passed. */
  readonly trail: readonly ShownExchange[];
  /** If the check used a registration that an earlier run sent, the time of that registration. */
  readonly recordedAt: string | undefined;
  /** What the check sent; never more than its declared cost. */
  readonly cost: Cost;
  readonly milliseconds: number;
}

/** A finding as shown in reports. */
export interface CheckFinding {
  readonly requirement: string;
  readonly verdict: Verdict;
  readonly reason: string;
  /** The id of the failed requirement that kept this one from being judged. */
  readonly because: string | undefined;
  readonly exchange: ShownExchange | undefined;
  /** The script that repeats the failure, if the requirement failed and anything was sent. */
  readonly script: Reproduction | undefined;
}

export interface RequirementOutcome {
  readonly requirement: Requirement;
  readonly verdict: Verdict;
  readonly reason: string;
  /** The ids of the failed requirements that kept this one from being judged. */
  readonly because: readonly string[];
  /** The checks that decided the verdict. */
  readonly checks: readonly string[];
  /** The reason in the baseline, if it expects the requirement to fail. */
  readonly expected: string | undefined;
  /** Whether the baseline expects a failure that did not occur. */
  readonly isStale: boolean;
}

/** How the server behaves in a case that the specification leaves open, compared with a decision of this project. */
export interface ObservationOutcome {
  readonly id: string;
  readonly question: string;
  readonly covers: readonly string[];
  readonly observed: string;
  /** Whether the behaviour is the one that the decision chose; undefined if the observation failed. */
  readonly matchesDecision: boolean | undefined;
  readonly cost: Cost;
}

/** The results of a run. */
export interface Report {
  readonly suiteVersion: string;
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly startedAt: string;
  readonly milliseconds: number;
  readonly strict: boolean;
  readonly profiles: readonly string[];
  /** The parts of the API that the server is declared to lack. */
  readonly without: readonly string[];
  /** The seed of the random choices; undefined if there were none. */
  readonly seed: number | undefined;
  readonly shuffled: boolean;
  readonly readOnly: boolean;
  /** Why the run ended before its last check, if it did. */
  readonly incomplete: string | undefined;
  /** Hints about options that the user may not have intended. */
  readonly notes: readonly string[];
  readonly exitCode: ExitCode;
  /** The pool file on this machine, from which the commands in the report read tokens. */
  readonly tokensIn: TokenLocation | undefined;
  readonly plan: Plan;
  readonly spent: Readonly<BudgetUsage>;
  /** The agents that a later run cannot use, and why. */
  readonly usage: readonly string[];
  readonly requirements: readonly RequirementOutcome[];
  readonly checks: readonly CheckOutcome[];
  readonly observations: readonly ObservationOutcome[];
}

/** Counts the requirements of a report by verdict; expected failures count separately. */
export function countByVerdict({ requirements }: Report) {
  const count = (is: (outcome: RequirementOutcome) => boolean) => requirements.filter(is).length;
  return {
    passed: count(({ verdict }) => verdict === 'passed'),
    inPart: count(({ verdict, reason }) => verdict === 'passed' && reason.includes(inPart)),
    failed: count(({ verdict, expected }) => verdict === 'failed' && expected === undefined),
    expected: count(({ verdict, expected }) => verdict === 'failed' && expected !== undefined),
    stale: count(({ isStale }) => isStale),
    errors: count(({ verdict }) => verdict === 'error'),
    inconclusive: count(({ verdict }) => verdict === 'inconclusive'),
    notTested: count(({ verdict }) => verdict === 'not tested'),
    notJudged: count(({ verdict }) => verdict === 'not judged'),
    unjudged: count(({ verdict, because }) => verdict === 'not judged' && because.length === 0),
    notApplicable: count(({ verdict }) => verdict === 'not applicable'),
  };
}

const endings: Readonly<Record<ExitCode, string>> = {
  0: 'Every requirement in scope was tested and passed.',
  1: 'Some requirements failed.',
  2: 'The run has no verdict: no check ran, or the suite failed.',
  3: 'No requirement failed, but some could not be judged.',
};

export function describeRunResult(report: Report): string {
  const { failed, expected, stale, unjudged } = countByVerdict(report);
  if (report.exitCode === 1 && failed === 0 && stale > 0)
    return 'No unexpected failure, but the baseline lists requirements that pass.';
  if (report.exitCode === 0 && expected > 0) return 'All failures are expected by the baseline.';
  if (report.exitCode === 0 && unjudged > 0) return `All judged requirements passed. Not judged: ${unjudged}.`;
  return endings[report.exitCode];
}

const inPart = 'passed in part';

/** Describes why a requirement did not pass, or passed only in part; empty for a full pass. */
export function describeFinding({ verdict, because, error, cases }: Finding, redaction: Redaction): string {
  if (verdict === 'passed') return cases === undefined ? '' : `${inPart} (${cases.made} of ${cases.of} cases)`;
  const reason = redaction.apply(describeError(error));
  return because === undefined ? reason : `because of ${because}: ${reason}`;
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = [
    Violation,
    InconclusiveError,
    SkippedError,
    NotJudgedError,
    NoAnswerError,
    BudgetExceededError,
  ].some((kind) => error instanceof kind);
  return isExpected ? error.message : `error of the suite: ${error.stack ?? error.message}`;
}

/** A requirement that a check found violated. */
export interface Failure {
  readonly requirement: Requirement;
  readonly check: string;
  /** What the check tests. */
  readonly rule: string;
  /** What the requirement says. */
  readonly expected: string;
  /** What the server did. */
  readonly actual: string;
  readonly exchange: ShownExchange | undefined;
  /** The reproduction script; undefined for all but the first failure of a requirement. */
  readonly script: Reproduction | undefined;
  /** The reason in the baseline, if it expects the requirement to fail. */
  readonly baseline: string | undefined;
}

/** A failed requirement with its first failure. */
export interface FailedRequirement extends Failure {
  /** Failures of the same requirement in other checks. */
  readonly others: readonly Failure[];
  /** How many requirements are not judged because of this one. */
  readonly blocked: number;
}

/** Lists each failed requirement once, in the order of their first failures. */
export function failedRequirementsOf(report: Report): readonly FailedRequirement[] {
  const groups = Map.groupBy(failuresOf(report), ({ requirement }) => requirement.id);
  return [...groups].flatMap(([id, [first, ...others]]) => {
    const blocked = report.requirements.filter(({ because }) => because.includes(id)).length;
    return first === undefined ? [] : [{ ...first, others, blocked }];
  });
}

/** The failures of a report in the order of the run; those that a baseline expects come last. */
export function failuresOf(report: Report): readonly Failure[] {
  const outcomes = new Map(report.requirements.map((outcome) => [outcome.requirement.id, outcome]));
  const scripted = new Set<string>();
  const found = report.checks.flatMap(({ id, rule, findings }) =>
    findings.flatMap(({ requirement, verdict, reason, exchange, script }): readonly Failure[] => {
      const outcome = outcomes.get(requirement);
      if (verdict !== 'failed' || outcome === undefined) return [];
      // Only the first failure of each requirement has a script.
      const isFirst = !scripted.has(requirement);
      scripted.add(requirement);
      return [{ ...shared(outcome), check: id, rule, actual: reason, exchange, script: isFirst ? script : undefined }];
    }),
  );
  // In a strict run, requirements can also fail because of an observation, which has no exchange.
  const observed = report.requirements
    .filter(({ requirement, verdict }) => verdict === 'failed' && !found.some((one) => one.requirement === requirement))
    .map((outcome): Failure => {
      const { checks, reason, requirement } = outcome;
      const rest = { check: checks[0] ?? '', rule: requirement.says, exchange: undefined, script: undefined };
      return { ...shared(outcome), ...rest, actual: reason };
    });
  const all = [...found, ...observed];
  return [
    ...all.filter(({ baseline }) => baseline === undefined),
    ...all.filter(({ baseline }) => baseline !== undefined),
  ];
}

function shared({ requirement, expected }: RequirementOutcome) {
  return { requirement, expected: requirement.says, baseline: expected };
}
