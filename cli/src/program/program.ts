import { Command as CommanderCommand, CommanderError } from 'commander';
import { catalogue } from '../commands/catalogue.ts';
import type { Command, CommandGroup } from '../commands/command.ts';
import { exitCodeMeanings } from '../errors/exit-codes.ts';
import { UsageError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { type GlobalOptions, globalOptions, readGlobalOptions } from '../options/global-options.ts';
import { ParsedArguments } from '../options/parsed-arguments.ts';
import { refuseUnknownFields } from '../output/output-fields.ts';
import type { Report } from '../output/report.ts';
import type { Session } from '../session/session.ts';
import { version } from './version.ts';

/** Receives a complete command line of a command. */
type OnCommand = (command: Command, parsed: CommanderCommand) => void;

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
  const texts: string[] = [];
  let parsed: ParsedCommandLine | undefined;
  const onCommand: OnCommand = (command, typed) => {
    const args = new ParsedArguments(typed, program);
    const options = readGlobalOptions(args, io);
    if (options.fields !== undefined && command.fields !== undefined) {
      refuseUnknownFields(options.fields, command.fields, `agentp ${command.path.join(' ')}`);
    }
    parsed = { kind: 'work', options, work: command.prepare(args) };
  };
  const columns = io.stdout.isTerminal ? Math.max(io.stdout.columns, 40) : 100;
  const program = buildProgram(columns, onCommand, (text) => texts.push(text));
  try {
    // An empty command line prints the help.
    program.parse(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return parsed ?? { kind: 'text', text: texts.join('') };
}

/** Builds the tree of nouns and commands. It holds the state of one parse: build one for each. */
export function buildProgram(
  columns: number,
  onCommand: OnCommand = () => undefined,
  onText: (text: string) => void = () => undefined,
): CommanderCommand {
  const program = new CommanderCommand('agentp');
  program
    .description('The command line client of the Agent Platform.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: onText,
      // The same text arrives as an error.
      writeErr: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', formatRootNotes());
  for (const option of globalOptions()) program.addOption(option);
  throwUsageErrors(program);
  for (const entry of catalogue) {
    if ('noun' in entry) addGroup(program, entry, onCommand);
    else addCommand(program, entry, onCommand);
  }
  return program;
}

function addGroup(program: CommanderCommand, { noun, summary, commands }: CommandGroup, onCommand: OnCommand): void {
  const group = program.command(noun).helpCommand(false);
  group
    .summary(summary)
    .description(capitalize(summary))
    .addHelpText('after', formatExamples(commands[0]?.examples ?? []));
  throwUsageErrors(group);
  for (const command of commands) addCommand(group, command, onCommand);
}

function addCommand(parent: CommanderCommand, command: Command, onCommand: OnCommand): void {
  const parsed = parent.command(command.path.at(-1) ?? '');
  parsed
    .summary(command.summary)
    .description(command.description ?? capitalize(command.summary))
    .addHelpText('after', formatExamples(command.examples))
    .action(() => onCommand(command, parsed));
  for (const argument of command.arguments ?? []) parsed.addArgument(argument);
  for (const option of command.options ?? []) parsed.addOption(option);
  throwUsageErrors(parsed);
}

// Commander would end the process; instead each command throws an error, with
// its own help as the hint.
function throwUsageErrors(command: CommanderCommand): void {
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : toUsageError(error, command);
  });
}

function toUsageError(error: CommanderError, command: CommanderCommand): UsageError {
  const path = pathOf(command);
  const help = `See ${path} --help`;
  if (error.code === 'commander.help') {
    const names = command.commands.map((inner) => inner.name()).join(', ');
    return new UsageError(`"${path}" needs a command: ${names}.`, help);
  }
  const [message = '', suggestion] = hideSecrets(error.message.replace(/^error: /, '')).split('\n');
  const hint = suggestion === undefined ? help : suggestion.replace(/^\((.*)\)$/, '$1');
  return new UsageError(capitalize(message), hint);
}

// Error messages go to logs, so they do not repeat a secret that a user passed
// as an argument.
function hideSecrets(message: string): string {
  return message.replaceAll(/apt_[\w-]+/g, 'apt_[hidden]').replace(/(unknown option '[^'=]*)=[^']*/, '$1');
}

function pathOf(command: CommanderCommand): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function formatExamples(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`;
}

function formatRootNotes(): string {
  const codes = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return [
    formatExamples(['agentp register --handle alice --display-name Alice', 'agentp whoami', 'agentp doctor']),
    '',
    'Environment:',
    '  AGENTP_HOME        the folder of profiles; default: $XDG_CONFIG_HOME/agentp or ~/.config/agentp',
    '  AGENTP_BASE_URL    like --base-url',
    '  AGENTP_PROFILE     like --profile',
    '  AGENTP_INVITATION  an invitation code for agentp register',
    '',
    'Exit codes:',
    ...codes,
  ].join('\n');
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
