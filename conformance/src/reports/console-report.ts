import { endingOf, type Report, type RequirementOutcome, tallyOf } from '../suite/report.ts';
import { readable, readableLine } from './readable.ts';
import { printSpending } from './spending.ts';

/** What people read on a terminal. */
export function printConsole(report: Report): string {
  const lines: string[] = [];
  for (const { requirement, verdict, reason, because, expected, isStale } of report.requirements) {
    if (isStale) lines.push(`STALE  ${requirement.id}  ${requirement.says}`, `    it is ${verdict}: ${expected}`);
    if (verdict === 'not judged' && because.length > 0)
      lines.push(`NOT JUDGED  ${requirement.id}  ${requirement.says}`, `    because of ${because.join(', ')}`);
    if (['passed', 'not judged', 'not applicable'].includes(verdict)) continue;
    const heading = verdict === 'failed' && expected !== undefined ? 'EXPECTED' : verdict.toUpperCase();
    lines.push(`${heading}  ${requirement.id}  ${requirement.says}`, `    ${expected ?? reason}`);
  }
  const unjudged = report.requirements.filter(
    ({ verdict, because }) => verdict === 'not judged' && because.length === 0,
  );
  for (const [reason, outcomes] of Map.groupBy(unjudged, (outcome) => reasonOf(outcome)))
    lines.push(`NOT JUDGED  ${outcomes.map(({ requirement }) => requirement.id).join(', ')}`, `    ${reason}`);
  for (const { verdict, id, rule, exchange } of report.checks) {
    if (verdict !== 'failed' || exchange === undefined) continue;
    lines.push('', `${id}: ${rule}`, `    ${exchange.curl}`);
    lines.push(`    ${exchange.status || 'no answer'} ${readableLine(exchange.answer)}`.trimEnd());
  }
  if (report.observations.length > 0) {
    lines.push('', `Behaviour of this server${report.strict ? '' : ', which fails nothing without --strict'}:`);
    for (const { question, observed: seen, matchesDecision: asDecided } of report.observations) {
      lines.push(`  ${asDecided === true ? ' ' : '≠'} ${question} ${readableLine(seen)}`);
    }
  }
  const judgedEarlier = report.checks.filter(({ recordedAt }) => recordedAt !== undefined).length;
  lines.push('', printTally(report), printSpending(report), ...report.usage);
  if (judgedEarlier > 0) lines.push(`${judgedEarlier} checks used registrations of an earlier run`);
  lines.push(endingOf(report));
  return readable(`${lines.join('\n').trimStart()}\n`);
}

// Several checks may have the same one.
function reasonOf({ reason }: RequirementOutcome): string {
  return [...new Set(reason.split('; ').map((one) => one.replace(/^[\w.-]+: /, '')))].join('; ');
}

/** How many requirements ended how, in one line. */
export function printTally(report: Report): string {
  const { passed, failed, expected, stale, errors, inconclusive, notTested, notJudged, notApplicable } =
    tallyOf(report);
  return [
    `${passed} passed`,
    `${failed} failed`,
    ...(expected > 0 ? [`${expected} failed as expected`] : []),
    ...(stale > 0 ? [`${stale} stale in the baseline`] : []),
    `${errors} error`,
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
    `${notTested} not tested`,
    ...(notJudged > 0 ? [`${notJudged} not judged`] : []),
    `${notApplicable} not applicable`,
  ].join(', ');
}
