import type { CommandCatalogue } from './command.ts';
import { exitCodes } from './errors/exit-codes.ts';
import type { Io } from './io/io.ts';
import { completionCommand } from './program/completion-scripts.ts';
import { version } from './version.ts';

/** Loads the commands that a command line with this first word may use. */
export type CatalogueLoader = (word: string) => Promise<CommandCatalogue>;

/** `argv` starts after the program's name. */
export async function runCli(argv: readonly string[], io: Io, loadCatalogue: CatalogueLoader): Promise<number> {
  // Printing the version does not need the parser, which takes time to load.
  if (argv.length === 1 && ['-V', '--version'].includes(argv[0] ?? '')) return await print(`${version}\n`, io);
  const { formatCompletions, renderRequestedText, runCommand } = await import('./run-command.ts');
  const [first = '', ...rest] = argv;
  const text = first === completionCommand ? await formatCompletions(rest, io) : renderRequestedText(argv, io.stdout);
  // Help and completion need neither the commands nor the SDK, which take most of the loading time.
  return text === undefined ? await runCommand(argv, io, await loadCatalogue(first)) : await print(text, io);
}

async function print(text: string, io: Io): Promise<number> {
  io.stdout.write(text);
  return await io.stdout.flush().then(
    () => exitCodes.ok,
    (error) => refuse(error, io),
  );
}

function refuse(error: Error, io: Io): number {
  io.stderr.write(`agentp: The text could not be written: ${error.message} (file_error)\n`);
  return exitCodes.unexpected;
}
