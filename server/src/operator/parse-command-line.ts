import { Command, CommanderError, Option } from 'commander';
import { type OperatorCommand, toFlag } from './command.ts';
import { nouns } from './commands/all-commands.ts';
import { toVisibleJson } from './layout.ts';

/** What the help has to know of a command. */
export type Listed = Pick<OperatorCommand, 'name' | 'summary' | 'parameters' | 'isDefault'>;

/** What an operator asked for. */
export interface Invocation {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly json: boolean;
}

/** An invocation, or the end: the help was shown, or the words were wrong. */
export type Parsed = { readonly invocation: Invocation } | { readonly exitCode: number };

/** Where text goes. */
export interface Screen {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Wrong words end with this exit code, a command that failed with 1. */
export const wrongUsage = 2;

/** Understands a command line by the table of commands; runs nothing. */
export function parseCommandLine(argv: readonly string[], listed: readonly Listed[], screen: Screen): Parsed {
  let invocation: Invocation | undefined;
  // For a program that asked for JSON, what is wrong with its words is JSON, too.
  let wrongWords = '';
  const isJson = argv.includes('--json');
  const writeErr = (text: string) => {
    if (isJson) wrongWords += text;
    else screen.err(text);
  };
  const program = new Command('operator')
    .description(
      'Operates an Agent Platform server: through the socket of the running server, otherwise directly on its database.',
    )
    .exitOverride()
    .configureOutput({ writeOut: screen.out, writeErr })
    .showHelpAfterError('Use --help for usage.')
    .helpCommand(false);
  const groups = new Map<string, Command>();
  for (const command of listed) {
    const added = addCommand(program, groups, command);
    const options = addParameters(added, command);
    added.action(() => {
      invocation = readInvocation(added, command, options);
    });
  }
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { exitCode: 0 };
  }
  if (invocation !== undefined) return { invocation };
  if (isJson) screen.err(`${toVisibleJson({ error: { code: 'usage', message: wrongWords.trim() } })}\n`);
  return { exitCode: wrongUsage };
}

function addCommand(program: Command, groups: Map<string, Command>, listed: Listed): Command {
  const [noun = '', verb] = listed.name.split(' ');
  if (verb === undefined) return program.command(noun).summary(listed.summary).description(listed.summary);
  const group =
    groups.get(noun) ??
    program
      .command(noun)
      .description(nouns[noun] ?? '')
      .helpCommand(false);
  groups.set(noun, group);
  return group.command(verb, { isDefault: listed.isDefault }).description(listed.summary);
}

function addParameters(command: Command, { parameters }: Listed): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>();
  for (const { name, meaning, placeholder, isPositional } of parameters) {
    if (isPositional) command.argument(`<${placeholder}>`, meaning);
    else options.set(name, new Option(`--${toFlag(name)} <${placeholder}>`, meaning));
  }
  for (const option of options.values()) command.addOption(option);
  command.option('--json', 'print the result as JSON');
  return options;
}

function readInvocation(command: Command, listed: Listed, options: ReadonlyMap<string, Option>): Invocation {
  const given = command.opts<Record<string, unknown>>();
  const args: Record<string, unknown> = {};
  const words = command.args.values();
  for (const { name, isPositional, isInteger } of listed.parameters) {
    const option = options.get(name);
    const value: unknown = isPositional ? words.next().value : option && given[option.attributeName()];
    if (value !== undefined) args[name] = isInteger ? toInteger(value) : value;
  }
  return { command: listed.name, args, json: given['json'] === true };
}

// What is no integer stays as it is; the command's own check refuses it with its meaning.
function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}
