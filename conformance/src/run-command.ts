import { writeFileSync } from 'node:fs';
import { OptionsError, type ReportTarget, readOptions, usage } from './options.ts';
import { PoolError } from './pool.ts';
import type { Report } from './report.ts';
import { printConsole } from './reports/console-report.ts';
import { printJson } from './reports/json-report.ts';
import { printJunit } from './reports/junit-report.ts';
import { CannotRun, judgeServer } from './suite.ts';
import type { ExitCode } from './verdict.ts';

/** Where a command writes. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

const printers: Readonly<Record<ReportTarget['kind'], (report: Report) => string>> = {
  json: printJson,
  junit: printJunit,
};

/** Does what the command line asks for and returns the exit code. */
export async function runCommand(args: readonly string[], output: Output): Promise<ExitCode> {
  try {
    const options = readOptions(args);
    if (options.ask === 'help') {
      output.out(usage);
      return 0;
    }
    const report = await judgeServer(options, (line) => output.err(`${line}\n`));
    output.out(printConsole(report));
    for (const { kind, file } of options.reports) writeReport(file, printers[kind](report));
    return report.exitCode;
  } catch (error) {
    const isExpected = error instanceof OptionsError || error instanceof PoolError || error instanceof CannotRun;
    output.err(isExpected ? `${error.message}\n` : `A fault of the suite: ${String(error)}\n`);
    if (error instanceof OptionsError) output.err('--help lists the options.\n');
    return 2;
  }
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CannotRun(`The report ${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
