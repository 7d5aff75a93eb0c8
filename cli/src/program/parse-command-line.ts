import { type Command, CommanderError } from 'commander';
import type { Io } from '../io/io.ts';
import { type GlobalOptions, readGlobalOptions } from '../options/global-options.ts';
import type { Typed } from '../options/parsed-arguments.ts';
import { refuseUnknownFields } from '../output/output-fields.ts';
import type { Report } from '../output/report.ts';
import type { Session } from '../session/session.ts';
import { buildProgram } from './program.ts';

/** What a command line asks for: some work, or only a text. */
export type Parsed =
  | { readonly kind: 'work'; readonly options: GlobalOptions; readonly work: (session: Session) => Promise<Report> }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Understands a command line without doing anything. `argv` is what follows the
 * name of the program.
 *
 * @throws UsageError
 */
export function parseCommandLine(argv: readonly string[], io: Pick<Io, 'env' | 'stdout'>): Parsed {
  let text = '';
  let parsed: Parsed | undefined;
  const columns = io.stdout.isTerminal ? Math.max(io.stdout.columns, 40) : 100;
  const program = buildProgram(
    {
      onText: (shown) => {
        text += shown;
      },
      onVerb: (verb, command) => {
        const typed = readTyped(command, program);
        const options = readGlobalOptions(typed, io);
        if (options.fields !== undefined && verb.members !== undefined) {
          refuseUnknownFields(options.fields, verb.members, `agentp ${verb.path.join(' ')}`);
        }
        parsed = { kind: 'work', options, work: verb.prepare(typed) };
      },
    },
    columns,
  );
  // Nothing typed at all is a question.
  const words = argv.length === 0 ? ['--help'] : argv;
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return parsed ?? { kind: 'text', text };
}

function readTyped(command: Command, program: Command): Typed {
  const values: Record<string, unknown> = { ...program.opts(), ...command.opts() };
  const read = (name: string): unknown => {
    const option = [...command.options, ...program.options].find(({ long }) => long === `--${name}`);
    if (option === undefined) throw new Error(`The option --${name} is read but not declared.`);
    const value = values[option.attributeName()];
    return option.negate ? value === false : value;
  };
  const text = (name: string): string | undefined => {
    const value = read(name);
    return typeof value === 'string' ? value : undefined;
  };
  const present = (value: string | undefined, what: string): string => {
    if (value === undefined) throw new Error(`${what} is read as if it were mandatory, and it is not.`);
    return value;
  };
  return {
    text,
    required: (name) => present(text(name), `--${name}`),
    list: (name) => {
      const value = read(name);
      return Array.isArray(value) ? value.map(String) : [];
    },
    flag: (name) => read(name) === true,
    argument: (index) => present(command.args[index], `argument ${index}`),
    rest: (index) => command.args.slice(index),
  };
}
