import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { OptionsError } from './config-file.ts';
import { readReport } from './read-options.ts';
import { reserveReport, writeReport } from './report-files.ts';
import { badgeOf, printBadgeFile } from './reports/badge.ts';
import { joinReports, type StoredReport } from './reports/join-reports.ts';
import { readableLine } from './reports/readable.ts';
import type { ExitCode } from './verdict/verdict.ts';

/** Does what follows the word `join`: one result of the JSON reports of several runs. */
export function runJoin(args: readonly string[], print: (text: string) => void): ExitCode {
  const { values, positionals } = parse(args);
  const targets = (values.report ?? []).map(readReport);
  const wrong = targets.find(({ kind }) => kind !== 'json' && kind !== 'badge');
  if (wrong !== undefined) throw new OptionsError(`join writes json=FILE and badge=FILE, and not ${wrong.kind}.`);
  const [first, ...others] = positionals.map(readStored);
  if (first === undefined) throw new OptionsError('join takes the JSON reports of runs.');
  for (const { file } of targets) reserveReport(file);
  const joined = joinReports([first, ...others]);
  const badge = badgeOf(joined);
  for (const { kind, file } of targets)
    writeReport(file, kind === 'badge' ? printBadgeFile(badge, file) : `${JSON.stringify(joined, undefined, 2)}\n`);
  const open = joined.requirements.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not applicable');
  const lines = open.map(({ id, verdict, reason }) => `${verdict.toUpperCase()}  ${id}  ${readableLine(reason)}`);
  print(`${[...lines, `${positionals.length} reports: ${badge.message}`].join('\n')}\n`);
  return joined.exit_code;
}

function parse(args: readonly string[]) {
  try {
    const report = { type: 'string', multiple: true } as const;
    return parseArgs({ args: [...args], options: { report }, allowPositionals: true });
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

function readStored(file: string): StoredReport {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    if (report.format === 'agent-platform-conformance/1') return report;
  } catch {
    // The same is to be done whatever is wrong with the file.
  }
  throw new OptionsError(`${file} is no report of a run: write one with --report json=FILE.`);
}
