import type { Check, Observation } from '../context/check.ts';
import { failedPremiseOf } from '../context/claims/premises.ts';
import type { Baseline } from './baseline.ts';
import type { CheckFinding, CheckOutcome, ObservationOutcome, RequirementOutcome } from './report.ts';
import type { Requirement } from './requirements.ts';
import { isStale, type Verdict, worstOf } from './verdict.ts';

/** What a verdict is drawn from. */
export interface Findings {
  readonly outcomes: readonly CheckOutcome[];
  readonly observations: readonly ObservationOutcome[];
  /** All that there are, those included that this run did not make. */
  readonly allChecks: readonly Check[];
  readonly allObservations: readonly Observation[];
  readonly baseline: Baseline;
  readonly strict: boolean;
  /** Why the run ended before its last check, if it did. */
  readonly incomplete: string | undefined;
}

/** The same outcomes; a failure that builds on another failure of the run is not judged, in any order of the checks. */
export function pointToPremises(outcomes: readonly CheckOutcome[]): readonly CheckOutcome[] {
  const failures = outcomes.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'failed'));
  const failed = new Set(failures.map(({ requirement }) => requirement));
  return outcomes.map((outcome) => {
    const findings = outcome.findings.map((finding) => pointToPremise(finding, failed));
    if (findings.every((finding, at) => finding === outcome.findings[at])) return outcome;
    const verdict = worstOf(findings.map((finding) => finding.verdict));
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

/** Derives the verdict of a requirement from the outcomes of its checks and observations. */
export function conclude(requirement: Requirement, findings: Findings): RequirementOutcome {
  const judgement = judge(requirement, findings);
  const expected = findings.baseline.get(requirement.id);
  const stale = isStale({ verdict: judgement.verdict, isExpectedToFail: expected !== undefined });
  return { requirement, ...judgement, expected, isStale: stale };
}

type Judgement = Pick<RequirementOutcome, 'verdict' | 'reason' | 'because' | 'checks'>;

function judge(requirement: Requirement, findings: Findings): Judgement {
  if (requirement.standing === 'ambiguous') return judgeOpen(requirement, findings);
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
  const verdict = worstOf(own.map((finding) => finding.verdict));
  const decisive = own.filter((finding) => finding.verdict === verdict);
  const because = [...new Set(decisive.flatMap((finding) => finding.because ?? []))];
  const byReason = [...Map.groupBy(decisive, ({ reason }) => reason).values()].flatMap(([first]) => first ?? []);
  const reason =
    verdict === 'passed'
      ? noteRecording(own.map(({ outcome }) => outcome))
      : because.length > 0
        ? `because of ${because.join(', ')}`
        : byReason.map((finding) => `${finding.outcome.id}: ${finding.reason}`).join('; ');
  return { verdict, reason, because, checks: decisive.map(({ outcome }) => outcome.id) };
}

function judgeOpen(
  requirement: Requirement,
  { observations, allObservations, strict, incomplete }: Findings,
): Judgement {
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

function without(verdict: Verdict, reason: string): Judgement {
  return { verdict, reason, because: [], checks: [] };
}

function noteRecording(outcomes: readonly CheckOutcome[]): string {
  const recorded = outcomes.find(({ recordedAt }) => recordedAt !== undefined);
  return recorded === undefined ? '' : `tested on a registration of ${recorded.recordedAt}`;
}
