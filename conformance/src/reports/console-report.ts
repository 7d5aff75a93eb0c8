import {
  countByVerdict,
  describeRunResult,
  type FailedRequirement,
  failedRequirementsOf,
  type Report,
  type RequirementOutcome,
} from '../verdict/report.ts';
import { describeChecks, shellCommandOf } from './plain-failure.ts';
import { formatCount, formatDuration, makeReadable, makeReadableLine, wrapLine } from './readable.ts';

export function formatBudgetUsage({ spent, milliseconds }: Report): string {
  const some = (count: number, one: string, rest = '') => (count > 0 ? `${formatCount(count, one)}${rest}` : '');
  const parts = [
    formatCount(spent.registrations, 'registration'),
    formatCount(spent.requests, 'request'),
    formatCount(spent.writes, 'change'),
    some(spent.contactRequests, 'contact request'),
    some(spent.messages, 'message'),
    some(spent.uploads, 'upload'),
    some(spent.creditsMinor, 'minor unit', ' of credit'),
    some(spent.sockets, 'event connection', ' at a time'),
    `${formatDuration(milliseconds)}, of which ${formatDuration(spent.waitedMs)} waiting`,
    some(spent.limited, 'answer', ' with an unexpected 429'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Starts with a comma, so that it can be appended to a list; empty without a seed. */
export function describeSeed({ seed, shuffled }: Report): string {
  if (seed === undefined) return '';
  return `, seed ${seed}${shuffled ? ', shuffled' : ''}`;
}

export interface ConsoleReportOptions {
  /** The width for wrapped text; undefined if the output is not a terminal. */
  readonly columns?: number | undefined;
  /** The folder that contains the reproduction scripts; undefined if no report file is written. */
  readonly scriptFolder?: string | undefined;
  /** How many failures are shown in full, with request and answer. */
  readonly shownFailures?: number;
}

/** Formats the report for a terminal: the failed requirements, the first of them in full, and counts of all others. */
export function formatConsoleReport(report: Report, parts: ConsoleReportOptions = {}): string {
  const { columns, scriptFolder, shownFailures = 1 } = parts;
  const failed = failedRequirementsOf(report).filter(({ baseline }) => baseline === undefined);
  const earlier = report.checks.filter(({ recordedAt }) => recordedAt !== undefined).length;
  const lines = [
    ...failed.flatMap((one, index) => [...printFailed(one, report, scriptFolder, index < shownFailures), '']),
    ...printExpected(report),
    ...printOpen(report),
    ...printBehaviour(report),
    formatTally(report),
    `${formatBudgetUsage(report)}${describeSeed(report)}`,
    ...report.usage,
    ...report.notes,
    ...(report.readOnly ? ['Read-only: checks that must create something were not judged.'] : []),
    ...(report.incomplete === undefined ? [] : [`Incomplete: ${report.incomplete}`]),
    ...(earlier === 0 ? [] : [`${formatCount(earlier, 'check')} used registrations of an earlier run`]),
    describeRunResult(report),
  ];
  const wrapped = columns === undefined ? lines : lines.flatMap((line) => wrapLine(line, columns));
  return makeReadable(`${wrapped.join('\n')}\n`);
}

const shownMaxLength = 600;
const labelWidth = 12;

function printFailed(failed: FailedRequirement, report: Report, scriptFolder: string | undefined, isFull: boolean) {
  const { requirement, rule, actual, exchange, script } = failed;
  const row = (label: string, text: string) => `  ${label.padEnd(labelWidth)}${text}`;
  const lines = [
    `FAILED  ${requirement.id}  ${requirement.says}`,
    row('Stated in', `§${requirement.paragraph} ${requirement.section}`),
    row('Expected', rule),
    row('Actual', makeReadableLine(actual)),
    row('Check', describeChecks(failed)),
  ];
  if (isFull && exchange !== undefined) {
    const answer = `${exchange.status || 'no answer'} ${makeReadableLine(exchange.answer)}`.trimEnd();
    const asked = `${exchange.method} ${exchange.path} ${makeReadableLine(exchange.body)}`.trimEnd();
    lines.push(row('Request', shorten(asked)), row('Answer', shorten(answer)));
    // Each command stays on one line, so that it can be copied.
    const pasted = shellCommandOf(exchange, report);
    if (pasted !== '' && (script === undefined || scriptFolder !== undefined)) lines.push('  Command', command(pasted));
  }
  if (script === undefined) return lines;
  if (scriptFolder !== undefined) return [...lines, '  Reproduce', command(`bash ${scriptFolder}/${script.name}`)];
  if (!isFull) return [...lines, row('Reproduce', '--report html=FILE saves a script')];
  const missing = script.files.length === 0 ? '' : '; --report html=FILE saves the bodies that it reads';
  return [
    ...lines,
    row('Reproduce', `with bash, from scratch${missing}:`),
    ...script.text.trimEnd().split('\n').map(command),
  ];
}

function shorten(text: string): string {
  return text.length > shownMaxLength ? `${text.slice(0, shownMaxLength)}… (${text.length} characters)` : text;
}

// `wrapLine` does not break lines with this indentation.
const command = (line: string) => `    ${line}`;

const listedMax = 6;

function printExpected({ requirements }: Report): readonly string[] {
  const lines = requirements.flatMap(({ requirement: { id, says }, verdict, expected, isStale }) => {
    if (isStale) return [`STALE  ${id}  ${says}`, `  it is ${verdict}: ${expected}`];
    return verdict === 'failed' && expected !== undefined ? [`EXPECTED  ${id}  ${says}`, `  ${expected}`] : [];
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Lists the requirements that neither passed nor failed, grouped by verdict and reason. */
function printOpen({ requirements }: Report): readonly string[] {
  const lines = ['error', 'inconclusive', 'not tested', 'not judged'].flatMap((verdict) => {
    const without = requirements.filter((outcome) => outcome.verdict === verdict && !outcome.isStale);
    return [...Map.groupBy(without, summarizeReason)].flatMap(([reason, outcomes]) => {
      const ids = outcomes.map(({ requirement }) => requirement.id);
      const rest = ids.splice(listedMax).length;
      const listed = `${ids.join(' ')}${rest > 0 ? ` and ${rest} more` : ''}`;
      return [`${verdict.toUpperCase()}  ${listed}`, `  ${makeReadableLine(reason)}`];
    });
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Returns the reason of a verdict, without the ids of checks; a reason that several checks share appears once. */
export function summarizeReason({ reason }: RequirementOutcome): string {
  return [...new Set(reason.split('; ').map((one) => one.replace(/^[\w.-]+: /, '')))].join('; ');
}

function printBehaviour({ observations, strict }: Report): readonly string[] {
  if (observations.length === 0) return [];
  const different = observations.filter(({ matchesDecision }) => matchesDecision !== true);
  return [
    `Behaviour of this server${strict ? '' : ' (a difference fails only with --strict)'}: ${observations.length - different.length} of ${observations.length} like the reference server`,
    ...different.map(({ question, observed }) => `  ≠ ${question} ${makeReadableLine(observed)}`),
    '',
  ];
}

export function formatTally(report: Report): string {
  const { passed, inPart, failed, expected, stale, errors, inconclusive, notTested, notJudged, notApplicable } =
    countByVerdict(report);
  return [
    `${passed} passed${inPart > 0 ? ` (${inPart} in part)` : ''}`,
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
