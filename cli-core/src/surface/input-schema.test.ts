import { expect, it } from 'vitest';
import { commands } from '../../../cli/src/commands/catalogue.ts';
import { declareGlobalOptions } from '../options/global-options.ts';
import { type CommandParameters, describeInput, toCommandParameters } from './input-schema.ts';

const all: readonly (readonly [string, CommandParameters])[] = [
  ['agentp', { options: declareGlobalOptions() }],
  ...commands.map((command) => [command.path.join(' '), command] as const),
];

it.each(all)('describes the arguments and options of "%s" completely', (_, parameters) => {
  const { arguments: operands = [], options = [] } = parameters;
  const described = describeInput(parameters);

  const again = toCommandParameters(JSON.parse(JSON.stringify(described)));

  expect(again.arguments.map(withoutParser)).toEqual(operands.map(withoutParser));
  expect(again.options.map(withoutParser)).toEqual(options.map(withoutParser));
  expect(Object.keys(described.properties)).toHaveLength(operands.length + options.length);
  for (const name of described.required) expect(described.properties).toHaveProperty([name]);
});

/** Removes the parser function, because each argument or option with choices has its own, and functions never match. */
function withoutParser<T extends { readonly parseArg?: unknown; readonly argChoices?: readonly string[] }>(part: T) {
  return part.argChoices === undefined ? part : { ...part, parseArg: undefined };
}
