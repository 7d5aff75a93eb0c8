import type { Report, RequirementOutcome } from '../report.ts';

/** What continuous integration reads: one test case for each requirement. */
export function printJunit(report: Report): string {
  const { requirements } = report;
  const count = (...verdicts: readonly string[]) =>
    requirements.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const totals = [
    `tests="${requirements.length}"`,
    `failures="${count('failed')}"`,
    `errors="${count('error')}"`,
    `skipped="${count('not tested', 'not applicable')}"`,
  ].join(' ');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Agent Platform conformance" ${totals}>`,
    `  <testsuite name="${escapeXml(report.baseUrl)}" timestamp="${report.startedAt}" ${totals}>`,
    ...requirements.map(printCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function printCase({ requirement, verdict, reason }: RequirementOutcome): string {
  const name = `${requirement.id} ${requirement.says}`;
  const opening = `    <testcase classname="${escapeXml(requirement.section)}" name="${escapeXml(name)}"`;
  if (verdict === 'passed') return `${opening}/>`;
  const element = verdict === 'failed' ? 'failure' : verdict === 'error' ? 'error' : 'skipped';
  return `${opening}>\n      <${element} message="${escapeXml(`${verdict}: ${reason}`)}"/>\n    </testcase>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// Control characters have no place in XML at all, escaped or not.
const forbidden = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(forbidden, '�')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
