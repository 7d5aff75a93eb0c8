import { Command, CommanderError } from 'commander';
import { describeArgument, formatFlag, type OperatorCommand } from './command.ts';
import { commandNouns } from './commands/all-commands.ts';
import { toVisibleJson } from './format.ts';
import type { OperatorProcess } from './parts.ts';

export interface OperatorInvocation {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  /** A file with additional values for the list argument. */
  readonly file?: string;
}

/** An invocation, or an exit code if the help or a usage error was printed. */
type ParsedCommandLine = { readonly invocation: OperatorInvocation } | { readonly exitCode: number };

/** The exit code of a usage error; a failed command exits with 1. */
export const usageExitCode = 2;

export function parseCommandLine(
  argv: readonly string[],
  listed: readonly OperatorCommand[],
  { out, err }: Pick<OperatorProcess, 'out' | 'err'>,
): ParsedCommandLine {
  let invocation: OperatorInvocation | undefined;
  // With --json, usage errors are also JSON.
  let usageError = '';
  const isJson = argv.includes('--json');
  const writeErr = (text: string) => {
    if (isJson) usageError += text;
    else err(text);
  };
  const program = new Command('operator')
    .description(
      'Operates an Agent Platform server: through the socket of the running server, otherwise directly on its database.',
    )
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr })
    .showHelpAfterError('Use --help for usage.')
    .helpCommand(false);
  const groups = new Map(
    Object.entries(commandNouns).map(([noun, text]) => [
      noun,
      program.command(noun).description(text).helpCommand(false),
    ]),
  );
  for (const command of listed) {
    const [noun = '', action = noun] = command.name.split(' ');
    const added = addCommand(groups.get(noun) ?? program, action, command);
    added.action(() => {
      const { json, ...options } = added.opts<Record<string, unknown>>();
      const words = command.positional.map((argument, at) => [argument, added.processedArgs[at]]);
      const { file, ...args } = { ...options, ...Object.fromEntries(words) } as Readonly<Record<string, unknown>>;
      invocation = {
        command: command.name,
        args,
        json: json === true,
        ...(file === undefined ? {} : { file: String(file) }),
      };
    });
  }
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { exitCode: 0 };
  }
  if (invocation !== undefined) return { invocation };
  if (isJson) err(`${toVisibleJson({ error: { code: 'usage', message: usageError.trim() } })}\n`);
  return { exitCode: usageExitCode };
}

function addCommand(parent: Command, word: string, command: OperatorCommand): Command {
  const added = parent.command(word, { isDefault: command.isDefault }).description(command.summary);
  for (const [argument, property] of Object.entries(command.arguments.properties)) {
    const { placeholder, meaning, isInteger, isList, isFlag } = describeArgument(argument, property);
    const parse = isInteger ? toInteger : (text: string) => text;
    if (isList) addList(added, placeholder, meaning);
    else if (command.positional.includes(argument)) added.argument(`<${placeholder}>`, meaning, parse);
    else if (isFlag) added.option(formatFlag(argument), meaning);
    else added.option(`${formatFlag(argument)} <${placeholder}>`, meaning, parse);
  }
  return added.option('--json', 'print the result as JSON');
}

function addList(added: Command, placeholder: string, meaning: string): void {
  added.argument(`[${placeholder}...]`, meaning);
  added.option('--file <path>', 'a file with one handle or id per line; "-" reads from stdin');
}

// Returns other text unchanged: the command then refuses it and explains the argument.
function toInteger(text: string): unknown {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
