import { allChecks } from './areas/all-checks.ts';
import { packBundle } from './bundle/bundle.ts';
import { openRecording } from './bundle/recording.ts';
import { runVerifyCommand } from './bundle/verify.ts';
import { clientUsage, parseClientCommand } from './client/client-command.ts';
import { judgeClient } from './client/judge-client.ts';
import { writeConfig } from './config-file.ts';
import { CannotRun, OptionsError } from './context/cannot-run.ts';
import type { ReportTarget } from './context/options.ts';
import { formatPlan } from './context/plan.ts';
import { runJoin } from './join-command.ts';
import { showProgress } from './progress.ts';
import { parseCommandLine } from './read-options.ts';
import { prepareReportFile, saveScripts, scriptFolderOf, writeReport } from './report-files.ts';
import { formatReportBadge } from './reports/badge.ts';
import { formatConsoleReport } from './reports/console-report.ts';
import { formatHtmlReport } from './reports/html/html-report.ts';
import { formatJsonReport } from './reports/json-report.ts';
import { formatJunitReport } from './reports/junit-report.ts';
import { formatMarkdownReport } from './reports/markdown-report.ts';
import { makeReadable } from './reports/readable.ts';
import { type RunScope, selectScope } from './suite/select-scope.ts';
import { judgeServer, planRun } from './suite/suite.ts';
import { suiteHelpText } from './usage.ts';
import type { ExitCode, Report } from './verdict/report.ts';
import { readRequirements } from './verdict/requirements.ts';

export interface CommandOutput {
  out(text: string): void;
  err(text: string): void;
  /** The width of `err` if it is a terminal. */
  readonly errColumns?: number | undefined;
  /** The width of `out` if it is a terminal. */
  readonly columns?: number | undefined;
  /** Aborts when the user interrupts the run. */
  readonly signal?: AbortSignal;
}

const printers: Readonly<Record<Exclude<ReportTarget['kind'], 'bundle'>, (report: Report, file: string) => string>> = {
  badge: formatReportBadge,
  html: formatHtmlReport,
  json: formatJsonReport,
  junit: formatJunitReport,
  markdown: formatMarkdownReport,
};

export async function runCommand(args: readonly string[], output: CommandOutput): Promise<ExitCode> {
  try {
    if (args[0] === 'client') return await runClientCommand(args.slice(1), output);
    if (args[0] === 'verify') return await runVerifyCommand(args.slice(1), output.out);
    if (args[0] === 'join') return runJoin(args.slice(1), output.out);
    const options = parseCommandLine(args);
    if (options.ask === 'help') {
      output.out(suiteHelpText);
      return 0;
    }
    if (options.ask === 'list') {
      output.out(listRequirements(options));
      return 0;
    }
    if (options.ask === 'init') {
      await writeConfig(options.file, options);
      output.out(`Wrote ${options.file}. Read it, add your hooks, and run with --config ${options.file}\n`);
      return 0;
    }
    if (options.ask === 'plan') {
      output.out(`${formatPlan(planRun(options)).join('\n')}\n`);
      return 0;
    }
    // The report files are created first: if one cannot be written, the run ends before it uses up registrations.
    for (const { file } of options.reports) prepareReportFile(file);
    const progress = showProgress({
      columns: output.errColumns,
      write: (text) => output.err(text),
      now: () => performance.now(),
    });
    const recording = options.reports.some(({ kind }) => kind === 'bundle') ? openRecording() : undefined;
    const report = await judgeServer(options, progress, output.signal, recording?.world).finally(() => progress.end());
    publish(report, options.reports, output);
    for (const { kind, file } of options.reports)
      if (kind === 'bundle' && recording !== undefined)
        writeReport(file, packBundle(recording.finish(report, options), file));
    return report.exitCode;
  } catch (error) {
    output.err(
      makeReadable(error instanceof CannotRun ? `${error.message}\n` : `Error of the suite: ${String(error)}\n`),
    );
    if (error instanceof OptionsError) output.err('--help lists the options.\n');
    return 2;
  }
}

async function runClientCommand(args: readonly string[], output: CommandOutput): Promise<ExitCode> {
  const options = parseClientCommand(args);
  if (options.ask === 'help') {
    output.out(clientUsage);
    return 0;
  }
  for (const { file } of options.reports) prepareReportFile(file);
  const report = await judgeClient(options, (line) => output.err(`${line}\n`));
  // All failures are shown in full, because there are few and they contain advice.
  publish(report, options.reports, output, Number.POSITIVE_INFINITY);
  return report.exitCode;
}

function publish(
  report: Report,
  targets: readonly ReportTarget[],
  { out, columns }: CommandOutput,
  shownFailures = 1,
): void {
  const scriptFolder = scriptFolderOf(targets);
  out(formatConsoleReport(report, { columns, scriptFolder, shownFailures }));
  for (const { kind, file } of targets) if (kind !== 'bundle') writeReport(file, printers[kind](report, file));
  if (scriptFolder !== undefined) saveScripts(report, scriptFolder);
}

/** Lists the selected requirements with their checks and observations, without sending anything. */
function listRequirements(selection: Parameters<typeof selectScope>[1]): string {
  const { requirements, observations, notes }: RunScope = selectScope(readRequirements(), selection);
  const idWidth = 2 + Math.max(...requirements.map(({ id }) => id.length));
  const rows = requirements.map(({ id, standing, says }) => {
    const checks = allChecks.filter(({ covers }) => covers.includes(id)).map((check) => check.id);
    return [
      `${id.padEnd(idWidth)}${standing.padEnd(11)}${says}`,
      ...(checks.length === 0 ? [] : [`    ${checks.join(' ')}`]),
    ];
  });
  const observed = observations.map(
    ({ id, covers, question }) => `${covers.join(' ').padEnd(idWidth)}observed   ${question}\n    ${id}`,
  );
  return `${[...notes, ...rows.flat(), ...observed].join('\n')}\n`;
}
