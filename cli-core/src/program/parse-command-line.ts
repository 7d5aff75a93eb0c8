import { CommanderError } from 'commander';
import type { Command, CommandCatalogue } from '../command.ts';
import { UsageError } from '../errors/failure.ts';
import { isPlainWord } from '../errors/hint-commands.ts';
import { completeHint } from '../errors/hints.ts';
import type { Io } from '../io/io.ts';
import { type GlobalOptions, resolveGlobalOptions } from '../options/global-options.ts';
import { ParsedArguments } from '../options/parsed-arguments.ts';
import { findIdPath } from '../output/ids.ts';
import { refuseUnknownFields } from '../output/output-fields.ts';
import type { Report } from '../output/report.ts';
import type { CommandContext } from '../session/chosen-credential.ts';
import type { Effect } from '../surface/effects.ts';
import { surface } from '../surface/surface.ts';
import { buildProgram, type CommandHandler, getHelpWidth } from './program.ts';

/** A parsed command line: either a command to run, or only a text to print. */
export type ParsedCommandLine =
  | {
      readonly kind: 'work';
      /** The command, such as `agentp orders show`. */
      readonly command: string;
      readonly effect: Effect;
      readonly options: GlobalOptions;
      /** The values of placeholders in the command's hints. */
      readonly hintValues: Readonly<Record<string, string>>;
      readonly work: (session: CommandContext) => Promise<Report>;
    }
  | { readonly kind: 'text'; readonly text: string };

/** Adds the schema of the command's data to the options, and for `--ids-only` the path of its ids. */
function completeOutput(options: GlobalOptions, { out }: Command, name: string): GlobalOptions {
  if (options.lines === undefined) return { ...options, out };
  const path = out === undefined ? undefined : findIdPath(out, surface.$defs);
  if (path === undefined) throw new UsageError(`The data of "${name}" contain no ids.`);
  return { ...options, out, lines: { path } };
}

const agentArguments = ['agent', 'friend', 'contact'];
const agentOptions = ['contractor', 'customer'];
const idsOfNouns: Readonly<Record<string, string>> = { orders: 'ORDER', posts: 'POST', events: 'EVENT' };

function findHintValues({ path, arguments: declared = [], options = [] }: Command, args: ParsedArguments) {
  const found = [
    ...declared.map((argument, index) => [nameValue(argument.name(), path[0]), args.optionalArgument(index)] as const),
    ...options.map(({ long }) => {
      const name = long?.slice('--'.length) ?? '';
      return agentOptions.includes(name) ? (['HANDLE', args.text(name)] as const) : (['', undefined] as const);
    }),
  ];
  return Object.fromEntries(found.flatMap(([name, value = '']) => (isPlainWord(value) ? [[name, value]] : [])));
}

function nameValue(argument: string, noun: string): string {
  if (agentArguments.includes(argument)) return 'HANDLE';
  return argument === 'id' ? (idsOfNouns[noun] ?? '') : '';
}

/**
 * Parses a command line without side effects. `argv` starts after the program name.
 *
 * @throws UsageError
 */
export function parseCommandLine(
  argv: readonly string[],
  io: Pick<Io, 'env' | 'stdout'>,
  catalogue: CommandCatalogue,
): ParsedCommandLine {
  const texts: string[] = [];
  let parsed: ParsedCommandLine | undefined;
  const onCommand: CommandHandler<Command> = (command, typed) => {
    const args = new ParsedArguments(typed, program);
    const name = `agentp ${command.path.join(' ')}`;
    try {
      const options = completeOutput(resolveGlobalOptions(args, io), command, name);
      if (options.fields !== undefined && command.out !== undefined) {
        refuseUnknownFields(options.fields, command.out, surface.$defs, name);
      }
      const work = command.prepare(args);
      parsed = {
        kind: 'work',
        command: name,
        effect: command.effect,
        options,
        hintValues: findHintValues(command, args),
        work,
      };
    } catch (error) {
      throw error instanceof UsageError ? new UsageError(error.message, completeHint(error.hint, name)) : error;
    }
  };
  const program = buildProgram(catalogue, getHelpWidth(io.stdout), onCommand, (text) => texts.push(text));
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return parsed ?? { kind: 'text', text: texts.join('') };
}
