import { toCommandParameters } from '../surface/input-schema.ts';
import { type CommandSurface, surface } from '../surface/surface.ts';
import type { ProgramCatalogue } from './program.ts';

type DescribedCommand = ReturnType<typeof toCommand>;

/**
 * The catalogue from the generated `commands.json`, for help and completion of a command line with these words. The
 * commands of other nouns are omitted, because they are not printed.
 */
export function makeHelpCatalogue(words: readonly string[]): ProgramCatalogue<DescribedCommand> {
  const summaries = new Map(surface.nouns.map(({ noun, summary }) => [noun, summary]));
  const groups = [...Map.groupBy(surface.commands, ({ command }) => command.split(' ')[0] ?? '')];
  return groups.flatMap<ProgramCatalogue<DescribedCommand>[number]>(([noun, found]) => {
    const summary = summaries.get(noun);
    if (summary === undefined) return found.map(toCommand);
    return { noun, summary, commands: words.includes(noun) ? found.map(toCommand) : [] };
  });
}

function toCommand({ command, summary, description, effect, repeat, examples, in: input }: CommandSurface) {
  return { path: command.split(' '), summary, description, effect, repeat, examples, ...toCommandParameters(input) };
}
