import { parseArgs } from 'node:util';

/** What the command line asks for. */
export type Options =
  | { readonly wanted: 'help' }
  | { readonly wanted: 'run'; readonly names: readonly string[]; readonly json: boolean; readonly quick: boolean };

/** A command line that cannot be followed. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** Reads the command line; without a name every measure is taken. */
export function readOptions(args: readonly string[], known: readonly string[]): Options {
  const { values, positionals } = parse(args);
  if (values.help) return { wanted: 'help' };
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new OptionsError(`There is no measure ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  }
  const names = positionals.length === 0 ? known : known.filter((name) => positionals.includes(name));
  return { wanted: 'run', names, json: values.json, quick: values.quick };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}
