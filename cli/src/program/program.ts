import { Command, type CommanderError } from 'commander';
import { nouns, verbs } from '../commands/catalogue.ts';
import type { Verb } from '../commands/command.ts';
import { exitCodeMeanings } from '../errors/exit-codes.ts';
import { UsageError } from '../errors/failure.ts';
import { declareGlobalOptions } from '../options/global-options.ts';
import { version } from './version.ts';

/** What the program tells while it parses. */
export interface Listener {
  /** A verb was typed, with everything that it needs. */
  readonly onVerb: (verb: Verb, command: Command) => void;
  /** A help text or the version was asked for. */
  readonly onText: (text: string) => void;
}

/** Builds the tree of nouns and verbs; it holds the state of one parsing, so make one for each. */
export function buildProgram(listener: Listener, columns: number): Command {
  const program = new Command('agentp');
  program
    .description('The command line client of the Agent Platform.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: listener.onText,
      // What commander would print on stderr comes as an error as well.
      writeErr: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', printRootNotes());
  for (const option of declareGlobalOptions()) program.addOption(option);
  refuse(program);
  for (const verb of verbs) addVerb(program, verb, listener);
  return program;
}

function addVerb(program: Command, verb: Verb, listener: Listener): void {
  const [first, second] = verb.path;
  const command = (second === undefined ? program : findNoun(program, first)).command(second ?? first, {
    hidden: verb.hidden === true,
  });
  command
    .summary(verb.summary)
    .description(verb.description ?? capitalize(verb.summary))
    .addHelpText('after', printExamples(verb.examples))
    .action(() => listener.onVerb(verb, command));
  for (const argument of verb.arguments ?? []) command.addArgument(argument);
  for (const option of verb.options ?? []) command.addOption(option);
  refuse(command);
}

function findNoun(program: Command, name: string): Command {
  const existing = program.commands.find((command) => command.name() === name);
  if (existing !== undefined) return existing;
  const noun = program.command(name).helpCommand(false);
  const about = nouns.get(name) ?? '';
  const example = verbs.find(({ path }) => path[0] === name)?.examples[0] ?? `agentp ${name} --help`;
  noun
    .summary(about)
    .description(capitalize(about))
    .addHelpText('after', printExamples([example]));
  refuse(noun);
  return noun;
}

// Commander would end the process; each command instead throws what was wrong,
// with the help of that command as the cure.
function refuse(command: Command): void {
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : toUsageError(error, command);
  });
}

function toUsageError(error: CommanderError, command: Command): UsageError {
  const path = pathOf(command);
  const help = `See ${path} --help`;
  if (error.code === 'commander.help') {
    const names = command.commands.map((inner) => inner.name()).join(', ');
    return new UsageError(`"${path}" needs a verb: ${names}.`, help);
  }
  const [message = '', suggestion] = hideSecrets(error.message.replace(/^error: /, '')).split('\n');
  const cure = suggestion === undefined ? help : suggestion.replace(/^\((.*)\)$/, '$1');
  return new UsageError(capitalize(message), cure);
}

// Secrets do not belong in arguments, but somebody will try: the answer goes to
// logs, so it does not repeat them.
function hideSecrets(message: string): string {
  return message.replaceAll(/apt_[\w-]+/g, 'apt_[hidden]').replace(/(unknown option '[^'=]*)=[^']*/, '$1');
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function printExamples(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`;
}

function printRootNotes(): string {
  const codes = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return [
    printExamples(['agentp register --handle alice --display-name Alice', 'agentp whoami', 'agentp doctor']),
    '',
    'Environment:',
    '  AGENTP_HOME        the folder of profiles; else $XDG_CONFIG_HOME/agentp or ~/.config/agentp',
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
