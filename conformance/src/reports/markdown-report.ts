import {
  describeRunResult,
  type FailedRequirement,
  failedRequirementsOf,
  type Report,
  type RequirementOutcome,
  type Verdict,
} from '../verdict/report.ts';
import { describeSeed, formatBudgetUsage, formatTally, summarizeReason } from './console-report.ts';
import { describeChecks, describeReproduction, formatExchange } from './plain-failure.ts';
import { makeReadable, makeReadableLine } from './readable.ts';

/** Formats the report as Markdown for a merge request or an issue. */
export function formatMarkdownReport(report: Report): string {
  const { requirements, observations } = report;
  const withVerdict = (verdict: Verdict) => requirements.filter((outcome) => outcome.verdict === verdict);
  const failed = withVerdict('failed').filter((outcome) => outcome.expected === undefined);
  const expected = withVerdict('failed').filter((outcome) => outcome.expected !== undefined);
  const stale = requirements.filter(({ isStale }) => isStale);
  const lines = [
    `# Conformance of ${inline(report.baseUrl)}`,
    '',
    ...(report.incomplete === undefined ? [] : [`**Incomplete:** ${inline(report.incomplete)}`, '']),
    `**${describeRunResult(report)}** Exit code ${report.exitCode}.`,
    '',
    `${formatTally(report)}.`,
    '',
    `Suite ${report.suiteVersion}, ${report.startedAt}${report.strict ? ', strict' : ''}${describeSeed(report)}: ${formatBudgetUsage(report)}.`,
    ...report.notes.flatMap((note) => ['', inline(note)]),
    ...list('Failed', failed),
    ...failedRequirementsOf(report).flatMap((failed) => printFailed(failed, report)),
    ...list('Errors of the suite', withVerdict('error')),
    ...list('Expected to fail', expected, 'expected'),
    ...list('Stale in the baseline', stale, 'expected'),
    ...listReasons('Inconclusive', withVerdict('inconclusive')),
    ...listReasons('Not tested', withVerdict('not tested')),
    ...listReasons('Not judged', withVerdict('not judged')),
    ...['', '## Behaviour of this server', ''],
    'The specification leaves this behaviour open; the reference server follows decisions of this project.',
    ...table(
      ['question', 'observed', 'same as the reference'],
      observations.map(({ question, observed: seen, matchesDecision: asDecided }) => [
        ...[question, seen, asDecided === undefined ? '?' : asDecided ? 'yes' : 'no'],
      ]),
    ),
    ...['', '## All requirements'],
    ...table(
      ['requirement', 'says', 'verdict'],
      requirements.map(({ requirement: { id, says }, verdict }) => [id, says, verdict]),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function list(
  heading: string,
  outcomes: readonly RequirementOutcome[],
  why: 'reason' | 'expected' = 'reason',
): readonly string[] {
  if (outcomes.length === 0) return [];
  const rows = outcomes.map((outcome) => [outcome.requirement.id, outcome.requirement.says, outcome[why] ?? '']);
  return ['', `## ${heading}`, ...table(['requirement', 'says', 'why'], rows)];
}

function listReasons(heading: string, outcomes: readonly RequirementOutcome[]): readonly string[] {
  if (outcomes.length === 0) return [];
  const rows = [...Map.groupBy(outcomes, summarizeReason)].map(([reason, some]) => [
    ...[reason, String(some.length), some.map(({ requirement }) => requirement.id).join(' ')],
  ]);
  return ['', `## ${heading}`, ...table(['why', 'count', 'requirements'], rows)];
}

function printFailed(failed: FailedRequirement, report: Report): readonly string[] {
  const { requirement, expected, actual, exchange } = failed;
  const lines = [
    '',
    `### ${requirement.id}, ${describeChecks(failed)}`,
    '',
    `Stated in §${requirement.paragraph}, ${inline(requirement.section)}`,
    '',
    `Expected: ${inline(expected)}`,
    '',
    `Actual: ${inline(actual)}`,
  ];
  if (exchange === undefined) return lines;
  const repeat = describeReproduction(failed, report);
  const repeated = repeat === '' ? [] : ['', ...fenced('sh', repeat)];
  return [...lines, '', ...fenced('http', formatExchange(exchange)), ...repeated];
}

/** Makes a code block whose fence is longer than any in its content. */
function fenced(language: string, text: string): readonly string[] {
  const shown = makeReadable(text);
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, shown, fence];
}

function table(names: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return ['', row(names), row(names.map(() => '---')), ...rows.map((cells) => row(cells.map(inline)))];
}

// Escapes texts from a server, so that they contain no markup, HTML, links or table cells.
function inline(text: string): string {
  return makeReadableLine(text)
    .replaceAll(/[\\`*_{}[\]()#+!|~<>&]/g, (character) => `\\${character}`)
    .replaceAll(/\b(https?|wss?):/g, '$1\\:');
}
