import { CommanderError } from 'commander';
import type { Io } from '../io/io.ts';
import { type GlobalOptions, readGlobalOptions } from '../options/global-options.ts';
import { ParsedArguments } from '../options/parsed-arguments.ts';
import { refuseUnknownFields } from '../output/output-fields.ts';
import type { Report } from '../output/report.ts';
import type { Session } from '../session/session.ts';
import { buildProgram } from './program.ts';

/** A parsed command line: work, or only a text. */
export type ParsedCommandLine =
  | { readonly kind: 'work'; readonly options: GlobalOptions; readonly work: (session: Session) => Promise<Report> }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Parses a command line without side effects. `argv` starts after the name of
 * the program.
 *
 * @throws UsageError
 */
export function parseCommandLine(argv: readonly string[], io: Pick<Io, 'env' | 'stdout'>): ParsedCommandLine {
  let text = '';
  let parsed: ParsedCommandLine | undefined;
  const columns = io.stdout.isTerminal ? Math.max(io.stdout.columns, 40) : 100;
  const program = buildProgram(
    {
      onText: (part) => {
        text += part;
      },
      onCommand: (command, typed) => {
        const args = new ParsedArguments(typed, program);
        const options = readGlobalOptions(args, io);
        if (options.fields !== undefined && command.fields !== undefined) {
          refuseUnknownFields(options.fields, command.fields, `agentp ${command.path.join(' ')}`);
        }
        parsed = { kind: 'work', options, work: command.prepare(args) };
      },
    },
    columns,
  );
  // An empty command line prints the help.
  const words = argv.length === 0 ? ['--help'] : argv;
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return parsed ?? { kind: 'text', text };
}
