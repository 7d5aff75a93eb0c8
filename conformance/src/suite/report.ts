import type { Spent } from '../context/budget.ts';
import type { Behaviour } from '../context/check.ts';
import type { Cost } from '../context/cost.ts';
import type { Plan } from '../context/plan.ts';
import type { Redaction } from '../context/redaction.ts';
import type { Requirement } from './requirements.ts';
import type { ShownExchange } from './shown-exchange.ts';
import type { ExitCode, Verdict } from './verdict.ts';

/** How one check ended. */
export interface CheckOutcome {
  readonly id: string;
  readonly rule: string;
  readonly covers: readonly string[];
  readonly verdict: Verdict;
  /** Why, where it did not pass. */
  readonly reason: string;
  /** The answer that decided, where it did not pass. */
  readonly exchange: ShownExchange | undefined;
  /** What was asked before that, oldest first, where it did not pass. */
  readonly trail: readonly ShownExchange[];
  /** When the registration was made that it judged, if that was in an earlier run. */
  readonly recordedAt: string | undefined;
  /** What it asked for, which is at most what it had announced. */
  readonly cost: Cost;
  readonly milliseconds: number;
}

/** How one requirement ended. */
export interface RequirementOutcome {
  readonly requirement: Requirement;
  readonly verdict: Verdict;
  readonly reason: string;
  /** The checks that decided it. */
  readonly checks: readonly string[];
  /** Why the baseline says that it fails; undefined where it says nothing. */
  readonly expected: string | undefined;
  /** The baseline says that it fails, and it does not. */
  readonly isStale: boolean;
}

/** What the server chose where the specification is silent. */
export interface ObservationOutcome {
  readonly id: string;
  readonly question: string;
  readonly covers: readonly string[];
  readonly observed: string;
  /** Undefined where it could not be observed. */
  readonly matchesDecision: boolean | undefined;
  readonly cost: Cost;
}

/** All that a run found out. */
export interface Report {
  readonly suiteVersion: string;
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly startedAt: string;
  readonly milliseconds: number;
  readonly strict: boolean;
  readonly profiles: readonly string[];
  readonly exitCode: ExitCode;
  readonly plan: Plan;
  readonly spent: Readonly<Spent>;
  /** What is no longer good for the next run, and why. */
  readonly usage: readonly string[];
  readonly requirements: readonly RequirementOutcome[];
  readonly checks: readonly CheckOutcome[];
  readonly observations: readonly ObservationOutcome[];
}

/** How many requirements ended in each way, the expected failures by themselves. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly expected: number;
  readonly stale: number;
  readonly errors: number;
  readonly notTested: number;
  readonly notApplicable: number;
}

/** Counts the requirements of a report. */
export function tallyOf({ requirements }: Report): Tally {
  const count = (is: (outcome: RequirementOutcome) => boolean) => requirements.filter(is).length;
  return {
    passed: count(({ verdict }) => verdict === 'passed'),
    failed: count(({ verdict, expected }) => verdict === 'failed' && expected === undefined),
    expected: count(({ verdict, expected }) => verdict === 'failed' && expected !== undefined),
    stale: count(({ isStale }) => isStale),
    errors: count(({ verdict }) => verdict === 'error'),
    notTested: count(({ verdict }) => verdict === 'not tested'),
    notApplicable: count(({ verdict }) => verdict === 'not applicable'),
  };
}

/** How a run ended, in one sentence. */
export const endings: Readonly<Record<ExitCode, string>> = {
  0: 'Every requirement in scope was tested and passed.',
  1: 'Some requirements failed.',
  2: 'The run has no verdict: no check ran, or the suite failed.',
  3: 'No requirement failed, but some were not tested.',
};

/** The sentence for this report. */
export function endingOf(report: Report): string {
  const { failed, expected, stale } = tallyOf(report);
  if (report.exitCode === 1 && failed === 0 && stale > 0)
    return 'No unexpected failure, but the baseline lists requirements that pass.';
  if (report.exitCode === 0 && expected > 0) return 'All failures are expected by the baseline.';
  return endings[report.exitCode];
}

const seenMaxLength = 600;

/** What is shown of a look. */
export function toObservationOutcome(
  { id, question, covers }: { readonly id: string; readonly question: string; readonly covers: readonly string[] },
  choice: Behaviour,
  redaction: Redaction,
): Omit<ObservationOutcome, 'cost'> {
  const seen = redaction.apply(choice.observed).slice(0, seenMaxLength);
  return { id, question, covers, observed: seen, matchesDecision: choice.matchesDecision };
}
