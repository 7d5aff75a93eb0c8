import type { Argument, Command, Option } from 'commander';
import { helpTopicSummaries } from './help-topics.ts';

interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** The completions at the cursor: candidates, or `files` if the shell has to complete a file name. */
export type Completion = readonly Candidate[] | 'files';

/** `words` follow the program name; the last one is incomplete and may be empty. */
export async function completeCommandLine(
  program: Command,
  words: readonly string[],
  findProfiles: () => Promise<readonly string[]>,
): Promise<Completion> {
  const completeValue = async (
    target: Argument | Option | undefined,
    typed: string,
    prefix = '',
  ): Promise<Completion> => {
    if (target === undefined) return [];
    // Only a shell can complete a file name, and only as a whole word: not after `--file=`.
    const isFile = 'flags' in target ? target.flags.endsWith('<file>') : target.name() === 'file';
    if (isFile) return prefix === '' ? 'files' : [];
    const values = target.name() === 'profile' ? await findProfiles() : (target.argChoices ?? []);
    const matching = values.filter((value) => value.startsWith(typed));
    return matching.map((value) => ({ value: prefix + value, description: '' }));
  };
  const { current, before } = joinEquals(words);
  const isTyped = (candidate: Candidate) => candidate.value.startsWith(current);
  if (before[0] === 'help') {
    const topics = before.length > 1 ? [] : helpTopicSummaries.map(([value, description]) => ({ value, description }));
    return [...subcommandsOf(resolveWords(program, before.slice(1)).command), ...topics].filter(isTyped);
  }
  const { command, pending, operands } = resolveWords(program, before);
  if (pending !== undefined) return await completeValue(pending, current);
  const [, flag, value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined) return await completeValue(findOption(command, flag), value, `${flag}=`);
  if (!current.startsWith('-') && command.commands.length === 0) {
    return await completeValue(command.registeredArguments[operands], current);
  }
  const candidates = current.startsWith('-')
    ? visibleOptions(command).map(({ long, description }) => ({ value: long ?? '', description }))
    : subcommandsOf(command);
  return candidates.filter(isTyped);
}

function subcommandsOf(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((inner) => ({ value: inner.name(), description: help.subcommandDescription(inner) }));
}

// Bash breaks words at "=", so `--profile=al` arrives as three words.
function joinEquals(words: readonly string[]): { current: string; before: readonly string[] } {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (current === '=' && before.at(-1)?.startsWith('--')) return { current: '', before };
  return { current, before: before.filter((word, index) => word !== '=' || !before[index - 1]?.startsWith('--')) };
}

/** Resolves the complete words; returns their command, an option that lacks its value, and the number of arguments. */
export function resolveWords(program: Command, words: readonly string[]) {
  let command = program;
  let pending: Option | undefined;
  let operands = 0;
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word.startsWith('-')) {
      pending = findOption(command, word);
    } else {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next === undefined) operands += 1;
      else command = next;
    }
  }
  return { command, pending, operands };
}

function findOption(command: Command, name: string): Option | undefined {
  const option = visibleOptions(command).find(({ long, short }) => name === long || name === short);
  return option !== undefined && (option.required || option.optional) ? option : undefined;
}

function visibleOptions(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}
