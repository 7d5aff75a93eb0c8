import type { CommandCatalogue } from './command.ts';
import { listFolder } from './credentials/files.ts';
import { openProfiles, type Profiles } from './credentials/profiles.ts';
import { exitCodes } from './errors/exit-codes.ts';
import { CommandError, type Failure, messageOf } from './errors/failure.ts';
import { fillHintCommands, type HintContext } from './errors/hint-commands.ts';
import { type Io, withoutNotes } from './io/io.ts';
import { applySettings } from './options/settings.ts';
import {
  type DataReport,
  type OutputOptions,
  printFailure,
  printReport,
  printStream,
  type Report,
  type TextReport,
} from './output/report.ts';
import { toVisibleLines } from './output/visible-text.ts';
import { findCommand } from './program/find-command.ts';
import { expandInput } from './program/json-input.ts';
import { type ParsedCommandLine, parseCommandLine } from './program/parse-command-line.ts';
import { requireIdentity } from './session/chosen-credential.ts';
import type { Effect } from './surface/effects.ts';

export { formatCompletions, renderRequestedText } from './program/print-text.ts';

export async function runCommand(argv: readonly string[], io: Io, catalogue: CommandCatalogue): Promise<number> {
  // Guessed options, to report failures that occur before the options are parsed.
  let options: OutputOptions & { readonly verbose: boolean } = guessOptions(argv);
  let command = 'agentp';
  let context: HintContext = { values: {}, profile: undefined };
  try {
    const profiles = openProfiles(io);
    const parsed = parseCommandLine(await expandInput(argv, io), io, catalogue);
    if (parsed.kind === 'text') {
      io.stdout.write(parsed.text);
      return exitCodes.ok;
    }
    ({ options, command } = parsed);
    const settled = await applySettings(parsed.options, profiles);
    options = settled;
    context = { values: parsed.hintValues, profile: await profiles.findOther(settled.profile) };
    const report = await work({ ...parsed, options: settled }, options.isQuiet ? withoutNotes(io) : io, profiles);
    if ('items' in report) {
      await printStream(report, io, options);
      return exitCodes.ok;
    }
    const completed = completeReport(report, context);
    await printReport(completed, io, options);
    await requireOutput(io, parsed.effect);
    return 'failure' in completed && completed.failure !== undefined ? completed.failure.exitCode : exitCodes.ok;
  } catch (error) {
    const { toFailure } = await import('./errors/to-failure.ts');
    const failure = completeFailure(toFailure(error, command), context);
    // The stdout of `mcp` carries the protocol.
    const isMcp = findCommand(argv).path[0] === 'mcp';
    await printFailure(failure, io, isMcp ? { ...options, form: 'text' } : options);
    if (failure.exitCode === exitCodes.unexpected && options.verbose) {
      const stack = (error instanceof Error && error.stack) || messageOf(error);
      io.stderr.write(`${toVisibleLines(stack).join('\n')}\n`);
    }
    return failure.exitCode;
  }
}

// Fails if the output cannot be written, because a command is complete only once its output is written.
async function requireOutput(io: Io, effect: Effect): Promise<void> {
  try {
    await io.stdout.flush();
  } catch (error) {
    const done = effect === 'read' ? '' : ' The command may have taken effect: read the result before you repeat it.';
    const message = `The output of the command could not be written: ${messageOf(error)}.${done}`;
    throw new CommandError(exitCodes.unexpected, 'file_error', message);
  }
}

async function work(parsed: ParsedCommandLine & { kind: 'work' }, io: Io, profiles: Profiles): Promise<Report> {
  // A failure is ignored, because `doctor` and the command itself report it.
  const { completed } = await completePending(profiles).catch(() => ({ completed: [] }));
  for (const name of completed) io.stderr.write(`agentp: completed an interrupted command: profile ${name}\n`);
  const session = { io, options: parsed.options, profiles };
  if (parsed.options.expectedIdentity !== undefined) await requireIdentity(session, parsed.options.expectedIdentity);
  return parsed.work(session);
}

async function completePending(profiles: Profiles): Promise<{ readonly completed: readonly string[] }> {
  if ((await listFolder(profiles.pendingFolder)).length === 0) return { completed: [] };
  const { completeIssuedCredentials } = await import('./credentials/credential-lifecycle.ts');
  return await completeIssuedCredentials(profiles);
}

function completeFailure({ exitCode, report }: Failure, context: HintContext): Failure {
  return { exitCode, report: { ...report, hint: fillHintCommands(report.hint, context) } };
}

function completeReport(report: DataReport | TextReport, context: HintContext): DataReport | TextReport {
  if ('text' in report) return report;
  const { notes, failure } = report;
  return {
    ...report,
    ...(notes === undefined ? {} : { notes: notes.map((note) => fillHintCommands(note, context)) }),
    failure: failure && completeFailure(failure, context),
  };
}

function guessOptions(argv: readonly string[]): OutputOptions & { readonly verbose: boolean } {
  const form = argv.includes('--json') ? 'json' : argv.includes('--text') ? 'text' : 'auto';
  return {
    form,
    fields: undefined,
    out: undefined,
    lines: argv.includes('--ids-only') ? { path: [] } : undefined,
    color: !argv.includes('--no-color'),
    isQuiet: argv.includes('--quiet'),
    verbose: argv.includes('--verbose'),
  };
}
