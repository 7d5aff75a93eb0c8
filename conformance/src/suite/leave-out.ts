import type { LeftOut } from '../context/claims/check-record.ts';
import { type ApiPart, partNames, parts } from '../context/parts.ts';
import type { CheckFinding, CheckOutcome, RequirementOutcome } from './report.ts';
import type { Requirement } from './requirements.ts';
import { worstOf } from './verdict.ts';

/** The outcomes without what was found out about requirements that are left out, and about those that build on them. */
export function leaveOut(outcomes: readonly CheckOutcome[], leftOut: LeftOut): readonly CheckOutcome[] {
  return outcomes.map((outcome) => {
    const findings = outcome.findings.map((finding) => skipFinding(finding, leftOut));
    if (findings.every((finding, at) => finding === outcome.findings[at])) return outcome;
    const verdict = worstOf(findings.map((finding) => finding.verdict));
    const { reason = '', exchange } = findings.find((finding) => finding.verdict === verdict) ?? {};
    return { ...outcome, findings, verdict, reason, exchange };
  });
}

function skipFinding(finding: CheckFinding, leftOut: LeftOut): CheckFinding {
  const { requirement, because = '' } = finding;
  const own = leftOut.get(requirement);
  const other = leftOut.get(because);
  if (own === undefined && other === undefined) return finding;
  const reason = own === undefined ? `skipped: it builds on ${because} (${other})` : `skipped: ${own}`;
  const rest = { because: undefined, exchange: undefined, script: undefined };
  return { ...{ requirement, verdict: 'not applicable', reason }, ...rest };
}

/** The outcome of a requirement that is left out. */
export function skipRequirement(requirement: Requirement, leftOut: LeftOut): RequirementOutcome | undefined {
  const words = leftOut.get(requirement.id);
  if (words === undefined) return undefined;
  const judgement = { verdict: 'not applicable', reason: `skipped: ${words}`, because: [], checks: [] } as const;
  return { requirement, ...judgement, expected: undefined, isStale: false };
}

// What servers answer to a path or a method that they do not have.
const absentStatuses: readonly number[] = [404, 405, 501];

/** Advice for a server that seems to lack a whole part: the operation that the part builds on does not exist. */
export function adviseParts(outcomes: readonly CheckOutcome[]): readonly string[] {
  const findings = outcomes.flatMap((outcome) => outcome.findings);
  const isAbsent = (part: ApiPart) =>
    findings.some(
      ({ requirement, verdict, exchange }) =>
        requirement === parts[part] && verdict === 'failed' && absentStatuses.includes(exchange?.status ?? 0),
    ) && findings.some(({ because }) => because === parts[part]);
  return partNames
    .filter(isAbsent)
    .map((part) => `This server seems to have no ${part}. If that is intended, declare it: --without ${part}`);
}
