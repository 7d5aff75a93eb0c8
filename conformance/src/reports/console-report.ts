import type { Report } from '../report.ts';
import type { Verdict } from '../verdict.ts';

const verdicts: readonly Verdict[] = ['passed', 'failed', 'error', 'not tested', 'not applicable'];

const endings = {
  0: 'Every requirement in scope was tested and passed.',
  1: 'Some requirements failed.',
  2: 'The suite could not judge: nothing was checked, or the suite itself failed.',
  3: 'Nothing failed, but not everything was tested.',
} as const;

/** What people read on a terminal. */
export function printConsole(report: Report): string {
  const lines: string[] = [];
  for (const { requirement, verdict, reason } of report.requirements) {
    if (verdict === 'passed' || verdict === 'not applicable') continue;
    lines.push(`${verdict.toUpperCase()}  ${requirement.id}  ${requirement.says}`, `    ${reason}`);
  }
  for (const { verdict, id, rule, exchange } of report.checks) {
    if (verdict !== 'failed' || exchange === undefined) continue;
    lines.push('', `${id}: ${rule}`, `    ${exchange.method} ${exchange.path} ${exchange.body}`.trimEnd());
    lines.push(`    ${exchange.status} ${exchange.answer}`.trimEnd());
  }
  if (report.choices.length > 0) {
    lines.push('', `Choices of this server${report.strict ? '' : ', which fail nothing without --strict'}:`);
    for (const { question, seen, asDecided } of report.choices) {
      lines.push(`  ${asDecided === true ? ' ' : '≠'} ${question} ${seen}`);
    }
  }
  const judgedEarlier = report.checks.filter(({ recordedAt }) => recordedAt !== undefined).length;
  lines.push('', count(report), `${report.registrations} registrations, ${report.writes} changes`);
  if (judgedEarlier > 0) lines.push(`${judgedEarlier} checks judged registrations of an earlier run`);
  lines.push(endings[report.exitCode]);
  return `${lines.join('\n').trimStart()}\n`;
}

function count(report: Report): string {
  return verdicts
    .map((verdict) => `${report.requirements.filter((outcome) => outcome.verdict === verdict).length} ${verdict}`)
    .join(', ');
}
