import type { Clock } from '../platform/clock.ts';
import { makeLogger } from '../platform/logger.ts';
import { readSettings, type Settings, SettingsError } from '../platform/settings/settings.ts';
import type { CommandOutput } from './command.ts';
import { commands } from './commands/all-commands.ts';
import { diagnose, doctorListing, type Surroundings } from './doctor.ts';
import { type OperatorFailure, toFailure } from './failure.ts';
import { toVisible, toVisibleJson } from './format.ts';
import { type Invocation, type Output, parseCommandLine, usageExitCode } from './parse-command-line.ts';
import { runCommand } from './run-command.ts';
import type { LocalParts } from './run-locally.ts';

/** The process of an operator command. */
interface OperatorIo extends Surroundings, Output {
  readonly clock: Clock;
  /** For the messages of libraries. */
  readonly errorStream: NodeJS.WritableStream;
}

/** Runs one command line of the operator and returns the exit code: 0 done, 1 failed, 2 wrong usage or settings. */
export async function runOperator(argv: readonly string[], io: OperatorIo): Promise<number> {
  const parsed = parseCommandLine(argv, [...commands, doctorListing], io);
  if ('exitCode' in parsed) return parsed.exitCode;
  const { invocation } = parsed;
  try {
    const { result, text, succeeded } = await run(invocation, io);
    io.out(`${invocation.json ? toVisibleJson(result) : text}\n`);
    return succeeded ? 0 : 1;
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    printFailure(failure, invocation, io);
    return error instanceof SettingsError || failure.code === 'invalid_input' ? usageExitCode : 1;
  }
}

async function run({ command: name, args }: Invocation, io: OperatorIo): Promise<CommandOutput> {
  if (name === doctorListing.name) return await diagnose(io, (settings) => localParts(settings, io));
  const command = commands.find((known) => known.name === name);
  if (command === undefined) throw new Error(`The parser knows ${name} and the table does not.`);
  command.check(args);
  return await runCommand(command, args, localParts(readSettings(io.env), io));
}

function localParts(settings: Settings, io: OperatorIo): LocalParts {
  return {
    settings,
    clock: io.clock,
    uid: io.uid,
    log: makeLogger('warn', { stream: io.errorStream, isTerminal: false }),
    note: (text) => io.err(`operator: ${toVisible(text)}\n`),
  };
}

function printFailure({ code, message }: OperatorFailure, { json }: Invocation, io: OperatorIo): void {
  // The line breaks of a message are ours; the rest may be the text of an agent.
  const text = message.split('\n').map(toVisible).join('\n');
  io.err(json ? `${toVisibleJson({ error: { code, message } })}\n` : `operator: ${text}\n`);
}
