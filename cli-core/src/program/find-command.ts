import type { Command } from 'commander';
import { surface } from '../surface/surface.ts';
import { resolveWords } from './complete.ts';
import { makeHelpCatalogue } from './described-catalogue.ts';
import { buildProgram } from './program.ts';

/** `described` is undefined if the words name no command. */
export function findCommand(words: readonly string[]) {
  const { command, operands } = resolveWords(buildProgram(makeHelpCatalogue(words), 80), words);
  const path = pathOf(command);
  return { described: surface.commands.find((one) => one.command === path.join(' ')), path, operands };
}

function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
