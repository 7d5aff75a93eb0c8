import {
  type FailedRequirement,
  failedRequirementsOf,
  type Report,
  type RequirementOutcome,
} from '../verdict/report.ts';
import { formatPlainFailure } from './plain-failure.ts';
import { makeReadable } from './readable.ts';

/** Formats JUnit XML for continuous integration, with one test case for each requirement. */
export function formatJunitReport(report: Report): string {
  const cases = report.requirements.map((outcome) => ({ outcome, element: elementOf(outcome) }));
  const failures = new Map(failedRequirementsOf(report).map((failed) => [failed.requirement.id, failed]));
  const count = (name: string) => cases.filter(({ element }) => element === name).length;
  const seconds = (report.milliseconds / 1_000).toFixed(3);
  const totals = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Agent Platform conformance" ${totals} time="${seconds}">`,
    `  <testsuite name="${escapeXml(report.baseUrl)}" ${totals} skipped="${count('skipped')}" time="${seconds}" timestamp="${report.startedAt.slice(0, 19)}" hostname="localhost">`,
    '    <properties>',
    `      <property name="suite_version" value="${escapeXml(report.suiteVersion)}"/>`,
    `      <property name="exit_code" value="${report.exitCode}"/>`,
    '    </properties>',
    ...cases.map(({ outcome, element }) => printCase(outcome, element, report, failures.get(outcome.requirement.id))),
    '    <system-out/>',
    '    <system-err/>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

type CaseElement = 'failure' | 'error' | 'skipped' | undefined;

function elementOf({ verdict, expected, isStale }: RequirementOutcome): CaseElement {
  if (isStale) return 'failure';
  if (verdict === 'failed') return expected === undefined ? 'failure' : 'skipped';
  if (verdict === 'error') return 'error';
  return verdict === 'passed' ? undefined : 'skipped';
}

function printCase(
  outcome: RequirementOutcome,
  element: CaseElement,
  report: Report,
  failed: FailedRequirement | undefined,
): string {
  const { requirement, verdict, reason, expected, isStale, checks } = outcome;
  const deciding = report.checks.filter(({ id }) => checks.includes(id));
  const seconds = deciding.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
  const name = `${requirement.id} ${requirement.says}`;
  const opening = `    <testcase classname="${escapeXml(requirement.section)}" name="${escapeXml(name)}" time="${seconds.toFixed(3)}"`;
  if (element === undefined) return `${opening}/>`;
  const message = isStale
    ? `stale: the baseline expects a failure (${expected}), but the requirement is ${verdict}`
    : expected === undefined
      ? `${verdict}: ${reason}`
      : `expected to fail: ${expected}`;
  // The JUnit schema permits no attributes of `skipped`, so the message is its text.
  if (element === 'skipped') return `${opening}>\n      <skipped>${escapeXml(message)}</skipped>\n    </testcase>`;
  const text = failed === undefined ? '' : formatPlainFailure(failed, report);
  const body = text === '' ? '/>' : `>${escapeXml(text)}</${element}>`;
  const type = isStale ? 'stale' : verdict;
  return `${opening}>\n      <${element} message="${escapeXml(message)}" type="${type}"${body}\n    </testcase>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// XML does not permit control characters, even escaped, so they are replaced by their numbers.
function escapeXml(text: string): string {
  return makeReadable(text)
    .replaceAll(/[\ufffe\uffff]/g, '�')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
