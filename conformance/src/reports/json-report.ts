import { type CheckFinding, failuresOf, type Report } from '../verdict/report.ts';

/** Formats the report as JSON that matches `report.schema.json`, with snake_case names as in the API. */
export function formatJsonReport(report: Report): string {
  const { plan, spent, requirements, observations, checks, tokensIn: _place, ...rest } = report;
  const { limits: _, ...planned } = plan;
  const { limited, ...counts } = spent;
  const document = {
    format: 'agent-platform-conformance/1',
    ...rest,
    plan: { ...planned, checks: plan.checks.length, observations: plan.observations.length },
    spent: { ...counts, unplanned_429: limited },
    failures: failuresOf(report).map(({ requirement, script, ...failure }) => ({
      requirement: requirement.id,
      ...failure,
      script: script === undefined ? null : { ...script, files: script.files.map(({ name }) => name) },
    })),
    requirements: requirements.map(({ requirement, isStale, ...outcome }) => {
      const { reason: _how, ...row } = requirement;
      return { ...row, ...outcome, stale: isStale };
    }),
    checks: checks.map(({ findings, ...check }) => ({
      ...check,
      findings: findings.map(({ script: _, ...finding }) => finding),
    })),
    choices: observations.map(({ observed, matchesDecision, ...outcome }) => ({
      ...outcome,
      seen: observed,
      asDecided: matchesDecision,
    })),
  };
  return `${JSON.stringify(toWire(document), undefined, 2)}\n`;
}

/** Formats the report for publication: without the scripts, which contain the path of the local pool file. */
export function formatPublicJsonReport(report: Report): string {
  const withoutScript = (finding: CheckFinding) => ({ ...finding, script: undefined });
  const checks = report.checks.map((check) => ({ ...check, findings: check.findings.map(withoutScript) }));
  return formatJsonReport({ ...report, checks });
}

/** Converts member names to snake_case, and undefined values to null. */
function toWire(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toWire);
  const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), toWire(member)]));
}
