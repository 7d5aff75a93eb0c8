import type { Catalogue } from './command.ts';
import { exitCodes } from './errors/exit-codes.ts';
import type { Io } from './io/io.ts';
import { completionCommand } from './program/completion-scripts.ts';
import { version } from './version.ts';

/** Loads the commands that a program has. */
export type LoadCatalogue = () => Promise<{ readonly catalogue: Catalogue }>;

/**
 * Runs one command line and returns its exit code. `argv` starts after the name
 * of the program; everything else comes from `io`.
 */
export async function runCli(argv: readonly string[], io: Io, loadCatalogue: LoadCatalogue): Promise<number> {
  const text = await findText(argv, io);
  if (text !== undefined) {
    io.stdout.write(text);
    return await io.stdout.flush().then(
      () => exitCodes.ok,
      (error) => refuse(error, io),
    );
  }
  // Help and completion need neither the commands nor the SDK, which take most of the time to load.
  const [{ runCommand }, { catalogue }] = await Promise.all([import('./run-command.ts'), loadCatalogue()]);
  return await runCommand(argv, io, catalogue);
}

async function findText(argv: readonly string[], io: Io): Promise<string | undefined> {
  const [first = '', ...rest] = argv;
  // The version alone does not even need the parser.
  if (rest.length === 0 && ['-V', '--version'].includes(first)) return `${version}\n`;
  const { printCompletion, printText } = await import('./program/print-text.ts');
  return first === completionCommand ? await printCompletion(rest, io) : printText(argv, io.stdout);
}

function refuse(error: Error, io: Io): number {
  io.stderr.write(`agentp: The text could not be written: ${error.message} (file_error)\n`);
  return exitCodes.unexpected;
}
