import { complete } from './completion/complete.ts';
import { completionCommand } from './completion/scripts.ts';
import { exitCodes } from './errors/exit-codes.ts';
import type { Io } from './io/io.ts';
import { findConfigFolder, listProfileNames } from './profiles/profile-names.ts';
import { describedCatalogue } from './program/described-catalogue.ts';
import { printText } from './program/print-text.ts';
import { buildProgram } from './program/program.ts';

/**
 * Runs one command line and returns its exit code. `argv` starts after the name
 * of the program; everything else comes from `io`.
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === completionCommand) return await printCompletion(argv.slice(1), io);
  const text = printText(argv, io.stdout);
  if (text !== undefined) {
    io.stdout.write(text);
    return exitCodes.ok;
  }
  // Help and completion need neither the commands nor the SDK, which take most of the time to load.
  const { runCommand } = await import('./run-command.ts');
  return await runCommand(argv, io);
}

async function printCompletion(words: readonly string[], io: Io): Promise<number> {
  const program = buildProgram(describedCatalogue(), 80);
  const line = words[0] === '--' ? words.slice(1) : words;
  const completion = await complete(program, line, () => listProfileNames(findConfigFolder(io)));
  const lines =
    completion === 'files' ? [':files'] : completion.map(({ value, description }) => `${value}\t${description}`);
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return exitCodes.ok;
}
