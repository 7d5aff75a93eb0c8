import { toParameters } from '../surface/input-schema.ts';
import { type CommandSurface, surface } from '../surface/surface.ts';
import type { ProgramCatalogue } from './program.ts';

/** A command as the printed catalogue describes it. */
type DescribedCommand = ReturnType<typeof toCommand>;

/** The catalogue as it is printed in `commands.json`: complete for help and completion, and loaded in no time. */
export function describedCatalogue(): ProgramCatalogue<DescribedCommand> {
  const summaries = new Map(surface.nouns.map(({ noun, summary }) => [noun, summary]));
  const groups = [...Map.groupBy(surface.commands, ({ command }) => command.split(' ')[0] ?? '')];
  return groups.flatMap<ProgramCatalogue<DescribedCommand>[number]>(([noun, found]) => {
    const summary = summaries.get(noun);
    const commands = found.map(toCommand);
    return summary === undefined ? commands : { noun, summary, commands };
  });
}

function toCommand({ command, summary, description, effect, repeat, examples, in: input }: CommandSurface) {
  return { path: command.split(' '), summary, description, effect, repeat, examples, ...toParameters(input) };
}
