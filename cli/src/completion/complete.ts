import type { Argument, Command, Option } from 'commander';

/** One possible completion. */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** The completions at the cursor: candidates, or file names. */
export type Completion = readonly Candidate[] | 'files';

/**
 * Completes a command line. `words` are those after the program name; the last
 * one is incomplete and may be empty. `findProfiles` finds the profile names.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  findProfiles: () => Promise<readonly string[]>,
): Promise<Completion> {
  const { current, before } = joinEquals(words);
  const { command, pending, operands } = followWords(program, before);
  const options = visibleOptions(command);
  if (pending !== undefined) return completeValue(pending, current, '', findProfiles);
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && value !== undefined) {
    const option = options.find((candidate) => candidate.long === flag);
    return option === undefined || !takesValue(option) ? [] : completeValue(option, value, `${flag}=`, findProfiles);
  }
  if (current.startsWith('-')) return startingWith(current, options.flatMap(describeOption));
  if (command.commands.length > 0) return startingWith(current, visibleCommands(command));
  return completeArgument(command.registeredArguments[operands], current, findProfiles);
}

// Bash breaks words at "=", so `--profile=al` arrives in three.
function joinEquals(words: readonly string[]): { current: string; before: readonly string[] } {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (current === '=' && before.at(-1)?.startsWith('--')) return { current: '', before };
  return { current, before: before.filter((word, index) => word !== '=' || !before[index - 1]?.startsWith('--')) };
}

function followWords(program: Command, words: readonly string[]) {
  let command = program;
  let pending: Option | undefined;
  let operands = 0;
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word.startsWith('-')) {
      const option = visibleOptions(command).find(({ long, short }) => word === long || word === short);
      if (option !== undefined && takesValue(option)) pending = option;
    } else {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next === undefined) operands += 1;
      else command = next;
    }
  }
  return { command, pending, operands };
}

async function completeValue(
  option: Option,
  typed: string,
  prefix: string,
  findProfiles: () => Promise<readonly string[]>,
): Promise<Completion> {
  // Only a shell can complete a file name, and it takes the word as a whole.
  if (option.flags.endsWith('<file>')) return prefix === '' ? 'files' : [];
  const values = option.name() === 'profile' ? await findProfiles() : (option.argChoices ?? []);
  return startingWith(typed, values.map(plain)).map(({ value }) => plain(prefix + value));
}

async function completeArgument(
  argument: Argument | undefined,
  typed: string,
  findProfiles: () => Promise<readonly string[]>,
): Promise<Completion> {
  if (argument === undefined) return [];
  const values = argument.name() === 'profile' ? await findProfiles() : (argument.argChoices ?? []);
  return startingWith(typed, values.map(plain));
}

function visibleOptions(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function visibleCommands(command: Command): Candidate[] {
  const help = command.createHelp();
  return help.visibleCommands(command).map((inner) => ({
    value: inner.name(),
    description: help.subcommandDescription(inner),
  }));
}

function describeOption({ long, description }: Option): Candidate[] {
  return long === undefined ? [] : [{ value: long, description }];
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

function startingWith(typed: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

function plain(value: string): Candidate {
  return { value, description: '' };
}
