import { Command as CommanderCommand, type CommanderError, type Help, type Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import { completeHint } from '../errors/hints.ts';
import type { OutputStream } from '../io/io.ts';
import { declareGlobalOptions } from '../options/global-options.ts';
import { effectMeanings, repeatMeanings } from '../surface/effects.ts';
import type { CommandParameters } from '../surface/input-schema.ts';
import type { CommandSurface } from '../surface/surface.ts';
import { version } from '../version.ts';
import { findHelpHeading, formatTermList, helpTopicSummaries } from './help-topics.ts';

interface ProgramCommand extends CommandParameters, Pick<CommandSurface, 'summary' | 'effect' | 'repeat' | 'examples'> {
  readonly path: readonly string[];
  readonly description?: string | undefined;
}

interface ProgramGroup<C> {
  readonly noun: string;
  readonly summary: string;
  readonly commands: readonly C[];
}

export type ProgramCatalogue<C> = readonly (C | ProgramGroup<C>)[];

/** Called when the command line names a command and is complete. */
export type CommandHandler<C> = (command: C, parsed: CommanderCommand) => void;

export function getHelpWidth({ isTerminal, columns }: Pick<OutputStream, 'isTerminal' | 'columns'>): number {
  return isTerminal ? Math.max(columns, 40) : 100;
}

/** The tree stores the state of one parse, so build a new one each time. */
export function buildProgram<C extends ProgramCommand>(
  catalogue: ProgramCatalogue<C>,
  columns: number,
  onCommand: CommandHandler<C> = () => undefined,
  onText: (text: string) => void = () => undefined,
): CommanderCommand {
  const program = new CommanderCommand('agentp');
  program
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .commandsGroup(findHelpHeading('help'))
    .helpCommand('help [command]', 'print the help of a command or a topic')
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: onText,
      // Discards this text, because Commander also throws it as an error.
      writeErr: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', () => formatRootNotes(program.createHelp(), columns));
  for (const option of declareGlobalOptions()) program.addOption(option);
  introduce(program, 'The command line client of the Agent Platform.');
  throwUsageErrors(program);
  for (const entry of catalogue) {
    const added = 'noun' in entry ? addGroup(program, entry, onCommand) : addCommand(program, entry, onCommand);
    added.helpGroup(findHelpHeading(added.name()));
  }
  // The main help omits the options, which would fill a screen. Commands, which were added before, still list theirs.
  const { formatItemList } = program.createHelp();
  return program.configureHelp({
    ...program.configureHelp(),
    formatItemList: (heading, items, help) =>
      heading === 'Options:' ? [] : formatItemList.call(help, heading, items, help),
  });
}

function addGroup<C extends ProgramCommand>(
  program: CommanderCommand,
  { noun, summary, commands }: ProgramGroup<C>,
  onCommand: CommandHandler<C>,
): CommanderCommand {
  const group = program.command(noun).helpCommand(false);
  group.summary(summary).addHelpText('after', formatExamples(commands[0]?.examples ?? []));
  introduce(group, capitalize(summary));
  throwUsageErrors(group);
  for (const command of commands) addCommand(group, command, onCommand);
  return group;
}

function addCommand<C extends ProgramCommand>(
  parent: CommanderCommand,
  command: C,
  onCommand: CommandHandler<C>,
): CommanderCommand {
  const { path, summary, description, effect, repeat, examples } = command;
  const parsed = parent.command(path.at(-1) ?? '');
  parsed
    .summary(summary)
    .addHelpText('after', formatExamples(examples))
    .action(() => {
      refuseMissing(command, parsed);
      onCommand(command, parsed);
    });
  introduce(
    parsed,
    `${capitalize(summary)}.`,
    ...(description === undefined ? [] : [description]),
    `Effect: ${effect}: ${effectMeanings[effect]}.\nRepeat: ${repeat}: ${repeatMeanings[repeat]}.`,
  );
  for (const argument of command.arguments ?? []) parsed.addArgument(argument);
  for (const option of command.options ?? []) parsed.addOption(asOptional(option));
  throwUsageErrors(parsed);
  return parsed;
}

// Commander reports a missing option before a misspelled one, which is usually the cause. So all options are optional
// for Commander, and missing ones are reported once the rest of the line is valid.
function asOptional(option: Option): Option {
  const shape = Object.getPrototypeOf(option) as object;
  return option.mandatory ? Object.assign(Object.create(shape) as Option, option, { mandatory: false }) : option;
}

function refuseMissing({ options = [] }: ProgramCommand, parsed: CommanderCommand): void {
  const missing = options.find((one) => one.mandatory && parsed.getOptionValue(one.attributeName()) === undefined);
  if (missing === undefined) return;
  throw new UsageError(`Required option '${missing.flags}' not specified`, completeHint(undefined, pathOf(parsed)));
}

function introduce(command: CommanderCommand, ...paragraphs: readonly string[]): void {
  command.addHelpText('before', () => {
    const help = command.createHelp();
    const columns = command.configureOutput().getOutHelpWidth?.() ?? 80;
    return paragraphs.map((paragraph) => `${help.boxWrap(paragraph, columns)}\n`).join('\n');
  });
}

// Commander would end the process; instead each command throws an error whose hint is its own help.
function throwUsageErrors(command: CommanderCommand): void {
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : toUsageError(error, command);
  });
}

function toUsageError(error: CommanderError, command: CommanderCommand): UsageError {
  const path = pathOf(command);
  if (error.code === 'commander.help') {
    const names = command.commands.map((inner) => inner.name()).join(', ');
    return new UsageError(`"${path}" needs a command: ${names}.`, completeHint(undefined, path));
  }
  const [message = '', suggestion] = hideSecrets(error.message.replace(/^error: /, '')).split('\n');
  const hint = suggestion?.replace(/^\((.*)\)$/, '$1');
  return new UsageError(capitalize(message), completeHint(hint, path));
}

// Error messages go to logs, so they must not repeat a secret that was passed as an argument.
function hideSecrets(message: string): string {
  return message.replaceAll(/apt_[\w-]+/g, 'apt_[hidden]').replace(/(unknown option '[^'=]*)=[^']*/, '$1');
}

function pathOf(command: CommanderCommand): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function formatExamples(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`;
}

function formatRootNotes(help: Help, columns: number): string {
  const more = helpTopicSummaries.map(([name, summary]) => [`agentp help ${name}`, summary] as const);
  return [
    formatExamples(['agentp register --handle alice --display-name Alice', 'agentp whoami']),
    '',
    'More:',
    formatTermList([['agentp NOUN --help', 'the commands of a noun'], ...more], help, columns),
  ].join('\n');
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
