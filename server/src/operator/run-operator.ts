import type { Clock } from '../platform/clock.ts';
import { makeLogger } from '../platform/logger.ts';
import { readSettings, type Settings, SettingsError } from '../platform/settings/settings.ts';
import { commands } from './commands/all-commands.ts';
import { describeDiagnosis, diagnose, doctorListing, type Surroundings } from './doctor.ts';
import { OperatorFailure, toFailure } from './failure.ts';
import { toVisible, toVisibleJson } from './layout.ts';
import { type Invocation, parseCommandLine, type Screen, wrongUsage } from './parse-command-line.ts';
import { runCommand } from './run-command.ts';
import type { HereParts } from './run-here.ts';

/** Everything that an operator command knows of its process. */
export interface OperatorIo extends Surroundings, Screen {
  readonly clock: Clock;
  /** For what the libraries below have to say. */
  readonly errorStream: NodeJS.WritableStream;
}

/** Runs one command line of the operator and returns the exit code: 0 done, 1 failed, 2 wrong words or settings. */
export async function runOperator(argv: readonly string[], io: OperatorIo): Promise<number> {
  const parsed = parseCommandLine(argv, [...commands, doctorListing], io);
  if ('exitCode' in parsed) return parsed.exitCode;
  const { invocation } = parsed;
  try {
    return await run(invocation, io);
  } catch (error) {
    if (error instanceof SettingsError) {
      printFailure(new OperatorFailure('wrong_settings', error.message, error), invocation, io);
      return wrongUsage;
    }
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    printFailure(failure, invocation, io);
    return failure.code === 'invalid_input' ? wrongUsage : 1;
  }
}

async function run(invocation: Invocation, io: OperatorIo): Promise<number> {
  const print = (result: unknown, show: () => string) =>
    io.out(`${invocation.json ? toVisibleJson(result) : show()}\n`);
  if (invocation.command === doctorListing.name) {
    const diagnosis = await diagnose(io, (settings) => hereOf(settings, io));
    print(diagnosis, () => describeDiagnosis(diagnosis));
    return diagnosis.healthy ? 0 : 1;
  }
  const command = commands.find(({ name }) => name === invocation.command);
  if (command === undefined) throw new Error(`The parser knows ${invocation.command} and the table does not.`);
  command.check(invocation.args);
  const result = await runCommand(command, invocation.args, hereOf(readSettings(io.env), io));
  print(result, () => command.show(result));
  return command.isGood(result) ? 0 : 1;
}

function hereOf(settings: Settings, io: OperatorIo): HereParts {
  return {
    settings,
    clock: io.clock,
    uid: io.uid,
    log: makeLogger('warn', { stream: io.errorStream, isTerminal: false }),
    note: (text) => io.err(`operator: ${toVisible(text)}\n`),
  };
}

function printFailure({ code, message }: OperatorFailure, { json }: Invocation, io: OperatorIo): void {
  // The lines of a message are ours, what stands in them may be an agent's.
  const text = message.split('\n').map(toVisible).join('\n');
  io.err(json ? `${toVisibleJson({ error: { code, message } })}\n` : `operator: ${text}\n`);
}
