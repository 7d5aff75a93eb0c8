import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CannotRun, OptionsError, rethrowAsCannotRun } from './context/cannot-run.ts';
import { isObject } from './context/json.ts';
import { parseReportTarget } from './read-options.ts';
import { prepareReportFile, writeReport } from './report-files.ts';
import { type BadgeReport, badgeOf, formatBadge, type JudgedRequirement } from './reports/badge.ts';
import { makeReadableLine } from './reports/readable.ts';
import { exitCodeOf, selectDecisiveRow } from './verdict/judge.ts';
import type { ExitCode, Verdict } from './verdict/report.ts';

/** The members of a JSON report that `join` needs. */
export interface StoredReport extends BadgeReport {
  readonly suite_version: string;
  readonly base_url: string;
  readonly exit_code: ExitCode;
  readonly seed?: number | null;
  readonly requirements: readonly StoredRequirement[];
}

export interface StoredRequirement extends JudgedRequirement {
  readonly verdict: Verdict;
  readonly reason: string;
  /** The reason in the baseline, if it expects the requirement to fail. */
  readonly expected: string | null;
}

/** Joins the reports of several runs against one server. Throws if the servers or the suite versions differ. */
export function joinReports(reports: readonly [StoredReport, ...StoredReport[]]): StoredReport {
  for (const name of ['suite_version', 'base_url'] as const) {
    const values = [...new Set(reports.map((report) => report[name]))];
    if (values.length > 1) throw new CannotRun(`These reports cannot be joined: ${name} is ${values.join(' and ')}.`);
  }
  const merged = reports.reduce((one, other) => merge(one, other) as StoredReport);
  const requirements = [...Map.groupBy(merged.requirements, ({ id }) => id).values()].map(selectDecisiveRow);
  const endings = requirements.map(({ verdict, expected, because }) => ({
    verdict,
    isExpectedToFail: expected !== null,
    isBlocked: because.length > 0,
  }));
  return {
    ...merged,
    requirements,
    seed: null,
    exit_code: exitCodeOf(endings),
    profiles: [...new Set(merged.profiles)],
    read_only: reports.every((report) => report.read_only),
    without: reports[0].without?.filter((part) => reports.every(({ without }) => without?.includes(part))) ?? [],
  };
}

/** Adds numbers, concatenates lists, and combines booleans with `or`; keeps the other values of the first report. */
function merge(one: unknown, other: unknown): unknown {
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (typeof one === 'boolean') return one || other;
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (!isObject(one) || !isObject(other)) return one;
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, merge(value, other[name])]));
}

export function runJoin(args: readonly string[], print: (text: string) => void): ExitCode {
  const report = { type: 'string', multiple: true } as const;
  const parse = () => parseArgs({ args: [...args], options: { report }, allowPositionals: true });
  const { values, positionals } = rethrowAsCannotRun('', parse, OptionsError);
  const targets = (values.report ?? []).map(parseReportTarget);
  const wrong = targets.find(({ kind }) => kind !== 'json' && kind !== 'badge');
  if (wrong !== undefined) throw new OptionsError(`join writes json=FILE and badge=FILE, and not ${wrong.kind}.`);
  const [first, ...others] = positionals.map(readStored);
  if (first === undefined) throw new OptionsError('join takes the JSON reports of runs.');
  for (const { file } of targets) prepareReportFile(file);
  const joined = joinReports([first, ...others]);
  const badge = badgeOf(joined);
  for (const { kind, file } of targets)
    writeReport(file, kind === 'badge' ? formatBadge(badge, file) : `${JSON.stringify(joined, undefined, 2)}\n`);
  const open = joined.requirements.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not applicable');
  const lines = open.map(({ id, verdict, reason }) => `${verdict.toUpperCase()}  ${id}  ${makeReadableLine(reason)}`);
  print(`${[...lines, `${positionals.length} reports: ${badge.message}`].join('\n')}\n`);
  return joined.exit_code;
}

function readStored(file: string): StoredReport {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    if (report.format === 'agent-platform-conformance/1') return report;
  } catch {
    // An unreadable file is reported by the error below too.
  }
  throw new OptionsError(`${file} is not a report of a run: write one with --report json=FILE.`);
}
