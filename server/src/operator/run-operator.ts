import { resolve } from 'node:path';
import { readSettings, SettingsError } from '../platform/settings/settings.ts';
import type { CommandOutput } from './command.ts';
import { eraseAgentCommand } from './commands/agents/erase.ts';
import { allCommands, findCommand } from './commands/all-commands.ts';
import { confirmErasure } from './confirm-erasure.ts';
import { doctorHelpEntry, runDoctor } from './doctor.ts';
import { toOperatorFailure } from './failure.ts';
import { toVisible, toVisibleJson } from './format.ts';
import { type OperatorInvocation, parseCommandLine, usageExitCode } from './parse-command-line.ts';
import type { OperatorProcess } from './parts.ts';
import { addAgentsFromFile } from './read-lines.ts';
import { runCommand } from './run-command.ts';

/** Runs an operator command line and returns the exit code: 0 success, 1 failure, 2 wrong usage or settings. */
export async function runOperator(argv: readonly string[], own: OperatorProcess): Promise<number> {
  const parsed = parseCommandLine(argv, [...allCommands, doctorHelpEntry], own);
  if ('exitCode' in parsed) return parsed.exitCode;
  const { json } = parsed.invocation;
  try {
    const { result, text, succeeded } = await run(parsed.invocation, own);
    own.out(`${json ? toVisibleJson(result) : text}\n`);
    return succeeded ? 0 : 1;
  } catch (error) {
    const failure = toOperatorFailure(error);
    if (failure === undefined) throw error;
    const { code, message } = failure;
    // Line breaks are not escaped, because they come from our code; the rest may be an agent's text.
    const text = `operator: ${message.split('\n').map(toVisible).join('\n')}`;
    own.err(`${json ? toVisibleJson({ error: { code, message } }) : text}\n`);
    return error instanceof SettingsError || code === 'invalid_input' ? usageExitCode : 1;
  }
}

async function run({ command: name, args, file }: OperatorInvocation, own: OperatorProcess): Promise<CommandOutput> {
  if (name === doctorHelpEntry.name) return await runDoctor(own);
  const command = findCommand(name);
  const named = file === undefined ? args : await addAgentsFromFile(args, file);
  const whole = withOwnPaths(named);
  command.check(whole);
  const settings = readSettings(own.env);
  if (command.name !== eraseAgentCommand.name || 'yes' in whole || 'dryRun' in whole)
    return await runCommand(command, whole, settings, own);
  return await runCommand(command, await confirmErasure(command, whole, settings, own), settings, own);
}

const pathNames: readonly string[] = ['out', 'keyFile'];

// Paths become absolute, because the server may run in another folder.
function withOwnPaths(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const absolute = ([name, value]: readonly [string, unknown]) =>
    pathNames.includes(name) && typeof value === 'string' ? [name, resolve(value)] : [name, value];
  return Object.fromEntries(Object.entries(args).map(absolute));
}
