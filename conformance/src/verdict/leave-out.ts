import { NotJudgedError, Violation } from '../context/expectations.ts';
import { requirementOfOperation } from '../context/http/operations.ts';
import { type ApiPart, apiPartNames, apiParts } from '../context/options.ts';
import { isUnknownPathStatus } from './premises.ts';
import type { CheckFinding, CheckOutcome, OmittedRequirements } from './report.ts';

/** The id of the omitted requirement that an error concerns; undefined if there is none. */
export function findOmittedRequirement(error: unknown, leftOut: OmittedRequirements): string | undefined {
  const exchange = error instanceof Violation ? error.exchange : undefined;
  const operation = exchange === undefined ? undefined : requirementOfOperation(exchange.request);
  const because = error instanceof NotJudgedError ? error.because : operation;
  return because !== undefined && leftOut.has(because) ? because : undefined;
}

/** Turns a finding into `not applicable` if its requirement, or the one that blocked it, is omitted. */
export function skipOmittedFinding(finding: CheckFinding, leftOut: OmittedRequirements): CheckFinding {
  const { requirement, because = '' } = finding;
  const own = leftOut.get(requirement);
  const other = leftOut.get(because);
  if (own === undefined && other === undefined) return finding;
  const reason = own === undefined ? `skipped: it builds on ${because} (${other})` : `skipped: ${own}`;
  const rest = { because: undefined, exchange: undefined, script: undefined };
  return { ...{ requirement, verdict: 'not applicable', reason }, ...rest };
}

/** Advice to declare the parts that a server seems to lack because their basic operation does not exist. */
export function adviseMissingParts(outcomes: readonly CheckOutcome[]): readonly string[] {
  const findings = outcomes.flatMap((outcome) => outcome.findings);
  const isAbsent = (part: ApiPart) =>
    findings.some(
      ({ requirement, verdict, exchange }) =>
        requirement === apiParts[part] && verdict === 'failed' && isUnknownPathStatus(exchange?.status ?? 0),
    ) && findings.some(({ because }) => because === apiParts[part]);
  return apiPartNames
    .filter(isAbsent)
    .map((part) => `This server seems to have no ${part}. If that is intended, declare it: --without ${part}`);
}
