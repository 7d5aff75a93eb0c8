import type { Report } from '../report.ts';

/** What programs read; names in snake_case, as everywhere on the wire. */
export function printJson(report: Report): string {
  const document = {
    format: 'agent-platform-conformance/1',
    base_url: report.baseUrl,
    started_at: report.startedAt,
    strict: report.strict,
    exit_code: report.exitCode,
    spent: { registrations: report.registrations, writes: report.writes },
    requirements: report.requirements.map(({ requirement, verdict, reason }) => ({
      id: requirement.id,
      section: requirement.section,
      says: requirement.says,
      keyword: requirement.keyword,
      standing: requirement.standing,
      verdict,
      reason,
    })),
    checks: report.checks.map(({ recordedAt, exchange, ...check }) => ({
      ...check,
      recorded_at: recordedAt ?? null,
      exchange: exchange ?? null,
    })),
    choices: report.choices.map(({ id, question, seen, asDecided }) => ({
      id,
      question,
      seen,
      as_decided: asDecided ?? null,
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
