import type { CaseCounts, Check, Observation } from '../context/check.ts';
import { InconclusiveError, NotJudgedError, SkippedError, Violation } from '../context/expectations.ts';
import { NoAnswerError } from '../context/http/http-client.ts';
import { requirementOfOperation } from '../context/http/operations.ts';
import { findOmittedRequirement, skipOmittedFinding } from './leave-out.ts';
import { failedPremiseOf } from './premises.ts';
import type { CheckRecord } from './record.ts';
import type {
  CheckFinding,
  CheckOutcome,
  ExitCode,
  Finding,
  ObservationOutcome,
  OmittedRequirements,
  RequirementOutcome,
  Verdict,
} from './report.ts';
import type { Requirement } from './requirements.ts';

// Computes all verdicts: of checks about requirements, of requirements, and of runs.

/** Judges the checks of a run in their order, so that a fault fails only the first requirement that it affects. */
export class Judge {
  readonly #failed = new Set<string>();
  readonly #symptoms = new Map<string, string>();
  /** The requirement that each violation failed: a fixture throws the same violation in every check that uses it. */
  readonly #requirements = new WeakMap<Violation, string>();
  /** The requirements that the run omits; they never fail. */
  readonly #leftOut: OmittedRequirements;

  constructor(leftOut: OmittedRequirements = new Map()) {
    this.#leftOut = leftOut;
  }

  /** Returns the findings of a check, both about its own requirements and about those that it depends on. */
  judge({ covers, entries, end }: CheckRecord): readonly Finding[] {
    const findings = new Map<string, Finding>();
    const note = (finding: Finding) => {
      const known = findings.get(finding.requirement);
      if (known === undefined || rank(finding) > rank(known)) findings.set(finding.requirement, finding);
    };
    for (const entry of entries) {
      if ('error' in entry) this.#judgeError(entry.error, entry.unmet, entry.unmet).forEach(note);
      else
        for (const requirement of entry.met) if (covers.includes(requirement)) note(passed(requirement, entry.cases));
    }
    // `open` are the requirements that the check did not reach. If a check has only one, an interruption reopens it.
    const isCutShort = covers.length === 1 && end !== undefined && isInterruption(end.error);
    const open = covers.filter((id) => isCutShort || !findings.has(id));
    const [own = ''] = covers;
    if (end !== undefined) this.#judgeError(end.error, [own], open).forEach(note);
    else if (covers.length === 1) open.map((requirement) => passed(requirement)).forEach(note);
    else open.map((requirement) => unreached(requirement, [...findings.values()])).forEach(note);
    return [...findings.values()];
  }

  /** The findings for an error. A violation without a requirement fails those in `own`; the others are not judged. */
  #judgeError(error: unknown, own: readonly string[], tested: readonly string[]): readonly Finding[] {
    if (!(error instanceof Violation)) {
      const verdict = verdictOf(error);
      const because = error instanceof NotJudgedError && error.because !== undefined ? { because: error.because } : {};
      return tested.map((requirement) => ({ requirement, verdict, error, ...because }));
    }
    const stated = error.requirement ?? this.#requirements.get(error);
    const named = stated === undefined ? own : [stated];
    const root = this.#rootOf(error, named);
    const failed = root === named[0] && !this.#leftOut.has(root) ? named : [];
    const others = [...named, ...tested].filter((requirement) => !failed.includes(requirement));
    return [
      ...failed.map((requirement) => ({ requirement, verdict: 'failed', error }) as const),
      ...others.map((requirement) => ({ requirement, verdict: 'not judged', error, because: root }) as const),
    ];
  }

  /** The requirement that explains the violation: an omitted one, one that failed earlier, or the first named one. */
  #rootOf(violation: Violation, named: readonly string[]): string {
    const [first = ''] = named;
    this.#requirements.set(violation, first);
    const { symptom, exchange } = violation;
    const leftOut = findOmittedRequirement(violation, this.#leftOut) ?? (this.#leftOut.has(first) ? first : undefined);
    if (leftOut !== undefined) return leftOut;
    const earlier = symptom === undefined ? undefined : this.#symptoms.get(symptom);
    if (earlier !== undefined) return earlier;
    const operation = exchange === undefined ? undefined : requirementOfOperation(exchange.request);
    if (operation !== undefined && this.#failed.has(operation)) return operation;
    if (symptom !== undefined) this.#symptoms.set(symptom, first);
    for (const requirement of named) this.#failed.add(requirement);
    return first;
  }
}

function passed(requirement: string, cases?: CaseCounts): Finding {
  const isInPart = cases !== undefined && cases.made < cases.of;
  return { requirement, verdict: 'passed', ...(isInPart ? { cases } : {}) };
}

/** The finding for a requirement that a check did not reach: blocked by an earlier failure, or not tested. */
function unreached(requirement: string, findings: readonly Finding[]): Finding {
  const failed = findings.find(({ verdict }) => verdict === 'failed') ?? findings.find(({ because }) => because);
  if (failed !== undefined)
    return { requirement, verdict: 'not judged', error: failed.error, because: failed.because ?? failed.requirement };
  return { requirement, verdict: 'not tested', error: new SkippedError('not reached in this run') };
}

function rank({ verdict, cases }: Finding): number {
  const fromBest: readonly Verdict[] = ['passed', 'not judged', 'not tested', 'inconclusive', 'error', 'failed'];
  // A partial pass is worse than a full pass by another check.
  return fromBest.indexOf(verdict) + (cases === undefined ? 0 : 0.5);
}

function verdictOf(error: unknown): Finding['verdict'] {
  if (error instanceof SkippedError) return 'not tested';
  if (error instanceof NotJudgedError) return 'not judged';
  return error instanceof InconclusiveError || error instanceof NoAnswerError ? 'inconclusive' : 'error';
}

/** Whether an error proves nothing about the server, so that the step must be repeated. */
function isInterruption(error: unknown): boolean {
  return !(error instanceof Violation) && ['inconclusive', 'error'].includes(verdictOf(error));
}

// The verdicts from worst to best: a requirement has the worst verdict of its checks.
const fromWorst: readonly Verdict[] = [
  ...(['failed', 'error', 'inconclusive', 'not tested', 'not judged', 'passed', 'not applicable'] as const),
];

export function worstVerdictOf(verdicts: readonly Verdict[]): Verdict {
  return fromWorst.find((verdict) => verdicts.includes(verdict)) ?? 'not tested';
}

export interface VerdictInputs {
  readonly outcomes: readonly CheckOutcome[];
  readonly observations: readonly ObservationOutcome[];
  /** All checks, including those that this run did not select. */
  readonly allChecks: readonly Check[];
  readonly allObservations: readonly Observation[];
  /** The reasons why requirements are expected to fail, by requirement id. */
  readonly baseline: ReadonlyMap<string, string>;
  readonly leftOut: OmittedRequirements;
  readonly strict: boolean;
  /** Why the run ended before its last check, if it did. */
  readonly incomplete: string | undefined;
}

/**
 * Returns the final outcomes: failures that follow from another failure become `not judged`, whichever check ran
 * first, and findings about omitted requirements become `not applicable`.
 */
export function finalizeOutcomes(
  outcomes: readonly CheckOutcome[],
  leftOut: OmittedRequirements,
): readonly CheckOutcome[] {
  const failures = outcomes.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'failed'));
  const failed = new Set(failures.map(({ requirement }) => requirement));
  return outcomes.map((outcome) => {
    const pointed = outcome.findings.map((finding) => pointToPremise(finding, failed));
    const moved = pointed.filter((finding, at) => finding !== outcome.findings[at]);
    const findings = pointed.map((finding) => {
      // Requirements that were not judged because of such a failure are attributed to the same premise.
      const because = moved.find(({ requirement }) => requirement === finding.because)?.because;
      if (because === undefined) return skipOmittedFinding(finding, leftOut);
      const reason = finding.reason.replace(/^because of [\w-]+/, `because of ${because}`);
      return skipOmittedFinding({ ...finding, because, reason }, leftOut);
    });
    if (findings.every((finding, at) => finding === outcome.findings[at])) return outcome;
    const verdict = worstVerdictOf(findings.map((finding) => finding.verdict));
    const { reason = '', exchange } = findings.find((finding) => finding.verdict === verdict) ?? {};
    return { ...outcome, findings, verdict, reason, exchange };
  });
}

function pointToPremise(finding: CheckFinding, failed: ReadonlySet<string>): CheckFinding {
  if (finding.verdict !== 'failed') return finding;
  const because = failedPremiseOf(finding.requirement, failed, finding.exchange);
  if (because === undefined) return finding;
  return { ...finding, verdict: 'not judged', because, reason: `because of ${because}: ${finding.reason}` };
}

export function deriveOutcome(requirement: Requirement, findings: VerdictInputs): RequirementOutcome {
  const words = findings.leftOut.get(requirement.id);
  const conclusion =
    words === undefined ? concludeFrom(requirement, findings) : without('not applicable', `skipped: ${words}`);
  // If every check was skipped, nothing is known about an expected failure.
  const isSkipped = conclusion.verdict === 'not applicable' && (words !== undefined || conclusion.checks.length > 0);
  const expected = isSkipped ? undefined : findings.baseline.get(requirement.id);
  const stale = isStale({ verdict: conclusion.verdict, isExpectedToFail: expected !== undefined });
  return { requirement, ...conclusion, expected, isStale: stale };
}

type Conclusion = Pick<RequirementOutcome, 'verdict' | 'reason' | 'because' | 'checks'>;

function concludeFrom(requirement: Requirement, findings: VerdictInputs): Conclusion {
  if (requirement.standing === 'ambiguous') return concludeOpen(requirement, findings);
  if (requirement.standing === 'excluded') return without('not applicable', requirement.reason);
  const { outcomes, allChecks } = findings;
  const own = outcomes.flatMap((outcome) =>
    outcome.findings
      .filter((finding) => finding.requirement === requirement.id)
      .map((finding) => ({ ...finding, outcome })),
  );
  const profile = allChecks.find(({ covers }) => covers.includes(requirement.id))?.profile;
  if (own.length === 0 && profile !== undefined)
    return without('not applicable', `it belongs to the profile ${profile}, which this run does not declare`);
  if (own.length === 0 && findings.incomplete !== undefined) return without('not tested', findings.incomplete);
  const verdict = worstVerdictOf(own.map((finding) => finding.verdict));
  const decisive = own.filter((finding) => finding.verdict === verdict);
  const because = [...new Set(decisive.flatMap((finding) => finding.because ?? []))];
  const byReason = [...Map.groupBy(decisive, ({ reason }) => reason).values()].flatMap(([first]) => first ?? []);
  const recordedAt = own.find(({ outcome }) => outcome.recordedAt !== undefined)?.outcome.recordedAt;
  const reason =
    verdict === 'passed'
      ? [...own.map((finding) => finding.reason), ...(recordedAt ? [`tested on a registration of ${recordedAt}`] : [])]
          .filter(Boolean)
          .join('; ')
      : because.length > 0
        ? `because of ${because.join(', ')}`
        : byReason.map((finding) => `${finding.outcome.id}: ${finding.reason}`).join('; ');
  return { verdict, reason, because, checks: decisive.map(({ outcome }) => outcome.id) };
}

function concludeOpen(
  requirement: Requirement,
  { observations, allObservations, strict, incomplete }: VerdictInputs,
): Conclusion {
  const open = allObservations.find(({ covers }) => covers.includes(requirement.id));
  const outcome = strict ? observations.find(({ id }) => id === open?.id) : undefined;
  if (strict && open !== undefined && outcome === undefined && incomplete !== undefined)
    return without('not tested', incomplete);
  if (outcome === undefined)
    return without('not applicable', `a decision, from which servers may differ: ${requirement.reason}`);
  const reason = `${outcome.question} Seen: ${outcome.observed}`;
  const verdict = outcome.matchesDecision === undefined ? 'not tested' : outcome.matchesDecision ? 'passed' : 'failed';
  return { verdict, reason, because: [], checks: [outcome.id] };
}

function without(verdict: Verdict, reason: string): Conclusion {
  return { verdict, reason, because: [], checks: [] };
}

// The priority of verdicts when runs are joined: only runs with `failed` or `passed` judged the rule.
const fromDecisive: readonly Verdict[] = [
  ...(['failed', 'passed', 'error', 'inconclusive', 'not tested', 'not judged', 'not applicable'] as const),
];

/** The rows are the results of one requirement in several runs. */
export function selectDecisiveRow<T extends { readonly verdict: Verdict }>(rows: readonly T[]): T {
  const rank = ({ verdict }: T) => fromDecisive.indexOf(verdict);
  return rows.reduce((one, other) => (rank(other) < rank(one) ? other : one));
}

export interface FinalVerdict {
  readonly verdict: Verdict;
  readonly isExpectedToFail: boolean;
  /** Whether this requirement could not be judged because another one failed. */
  readonly isBlocked?: boolean;
}

/** Whether the baseline expects a failure that did not occur, so that its entry must be removed. */
export function isStale({ verdict, isExpectedToFail }: FinalVerdict): boolean {
  return isExpectedToFail && (verdict === 'passed' || verdict === 'not applicable');
}

export function exitCodeOf(endings: readonly FinalVerdict[]): ExitCode {
  const has = (wanted: Verdict) => endings.some(({ verdict }) => verdict === wanted);
  if (endings.some(({ verdict, isExpectedToFail }) => verdict === 'failed' && !isExpectedToFail)) return 1;
  if (endings.some(isStale)) return 1;
  if (has('error')) return 2;
  if (has('not tested') || has('inconclusive') || endings.some(({ isBlocked }) => isBlocked)) return 3;
  // A run that judged nothing is not a success.
  return has('passed') || has('failed') ? 0 : 2;
}
