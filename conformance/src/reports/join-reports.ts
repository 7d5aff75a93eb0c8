import { isObject } from '../context/json.ts';
import { CannotRun } from '../suite/cannot-run.ts';
import { exitCodeOf, joinedOf } from '../verdict/judge.ts';
import type { ExitCode, Verdict } from '../verdict/verdict.ts';
import type { BadgeReport, Judged } from './badge.ts';

/** A report as its JSON file has it, as far as reports are joined by it. */
export interface StoredReport extends BadgeReport {
  readonly suite_version: string;
  readonly base_url: string;
  readonly exit_code: ExitCode;
  readonly requirements: readonly StoredRow[];
}

/** A requirement of a report as its JSON file has it. */
export interface StoredRow extends Judged {
  readonly verdict: Verdict;
  readonly reason: string;
  /** The reason of the baseline for an expected failure. */
  readonly expected: string | null;
}

/** Joins the reports of several runs of one suite against one server. */
export function joinReports(reports: readonly [StoredReport, ...StoredReport[]]): StoredReport {
  for (const name of ['suite_version', 'base_url'] as const) {
    const values = [...new Set(reports.map((report) => report[name]))];
    if (values.length > 1) throw new CannotRun(`These reports cannot be joined: ${name} is ${values.join(' and ')}.`);
  }
  const merged = reports.reduce((one, other) => merge(one, other) as StoredReport);
  const requirements = [...Map.groupBy(merged.requirements, ({ id }) => id).values()].map(joinedOf);
  const endings = requirements.map(({ verdict, expected, because }) => ({
    ...{ verdict, isExpectedToFail: expected !== null, isBlocked: because.length > 0 },
  }));
  return {
    ...merged,
    ...{ requirements, seed: null, exit_code: exitCodeOf(endings), profiles: [...new Set(merged.profiles)] },
    read_only: reports.every((report) => report.read_only),
    without: reports[0].without?.filter((part) => reports.every(({ without }) => without?.includes(part))) ?? [],
  };
}

/** Adds up the counts of two reports, and puts their lists one after the other. */
function merge(one: unknown, other: unknown): unknown {
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (typeof one === 'boolean') return one || other;
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (!isObject(one) || !isObject(other)) return one;
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, merge(value, other[name])]));
}
