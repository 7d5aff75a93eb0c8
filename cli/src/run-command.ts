import { exitCodes } from './errors/exit-codes.ts';
import { messageOf } from './errors/failure.ts';
import { toFailure } from './errors/to-failure.ts';
import { type Io, withoutNotes } from './io/io.ts';
import { applySettings } from './options/settings.ts';
import { checkFilter } from './output/jq.ts';
import { type OutputOptions, printFailure, printReport, printStream, type Report } from './output/report.ts';
import { toVisibleLines } from './output/visible-text.ts';
import { completeIssued } from './profiles/credential-lifecycle.ts';
import { openProfiles, type Profiles } from './profiles/profiles.ts';
import { type ParsedCommandLine, parseCommandLine } from './program/parse-command-line.ts';
import { expectIdentity } from './session/session.ts';

/** Parses a command line, does its work, prints the result and returns the exit code. */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  // For failures before the options are parsed.
  let options: OutputOptions & { readonly verbose: boolean } = guessOptions(argv);
  let command = 'agentp';
  try {
    const profiles = openProfiles(io);
    const parsed = parseCommandLine(argv, io);
    if (parsed.kind === 'text') {
      io.stdout.write(parsed.text);
      return exitCodes.ok;
    }
    ({ options, command } = parsed);
    const settled = await applySettings(parsed.options, profiles);
    options = settled;
    if (options.lines?.kind === 'jq') await checkFilter(options.lines.filter);
    const report = await work({ ...parsed, options: settled }, options.isQuiet ? withoutNotes(io) : io, profiles);
    if ('items' in report) {
      await printStream(report, io, options);
      return exitCodes.ok;
    }
    await printReport(report, io, options);
    return 'failure' in report && report.failure !== undefined ? report.failure.exitCode : exitCodes.ok;
  } catch (error) {
    const failure = toFailure(error, command);
    printFailure(failure, io, options);
    if (failure.exitCode === exitCodes.unexpected && options.verbose) {
      const stack = (error instanceof Error && error.stack) || messageOf(error);
      io.stderr.write(`${toVisibleLines(stack).join('\n')}\n`);
    }
    return failure.exitCode;
  }
}

async function work(parsed: ParsedCommandLine & { kind: 'work' }, io: Io, profiles: Profiles): Promise<Report> {
  // Failures here are reported by `doctor` and by the command itself.
  const { completed } = await completeIssued(profiles).catch(() => ({ completed: [] }));
  for (const name of completed) io.stderr.write(`agentp: completed an interrupted command: profile ${name}\n`);
  const session = { io, options: parsed.options, profiles };
  if (parsed.options.expectedIdentity !== undefined) await expectIdentity(session, parsed.options.expectedIdentity);
  return parsed.work(session);
}

function guessOptions(argv: readonly string[]): OutputOptions & { readonly verbose: boolean } {
  const form = argv.includes('--json') ? 'json' : argv.includes('--text') ? 'text' : 'auto';
  const isForLines = argv.some((word) => /^--(?:jq(?:=|$)|ids-only$)/.test(word));
  return {
    form,
    fields: undefined,
    lines: isForLines ? { kind: 'ids', path: [] } : undefined,
    color: !argv.includes('--no-color'),
    isQuiet: argv.includes('--quiet'),
    verbose: argv.includes('--verbose'),
  };
}
