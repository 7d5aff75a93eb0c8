import { parseArgs } from 'node:util';

export type BenchOptions =
  | { readonly wanted: 'help' }
  | {
      readonly wanted: 'run';
      readonly names: readonly string[];
      readonly json: boolean;
      readonly quick: boolean;
      readonly save: boolean;
    };

export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** `all` runs by default; `peers` needs the installed peers. */
export interface MeasureNames {
  readonly all: readonly string[];
  readonly peers: readonly string[];
}

/** The names of the groups, `all` and `peers`, stand for their measures; the default is `all`. */
export function parseOptions(args: readonly string[], known: MeasureNames): BenchOptions {
  const { values, positionals } = parse(args);
  if (values.help) return { wanted: 'help' };
  if (values.save && values.quick) throw new OptionsError('The figures of a quick run are too rough to be saved.');
  const groups = new Map(Object.entries(known));
  const wanted = positionals.length === 0 ? known.all : positionals.flatMap((name) => groups.get(name) ?? name);
  const names = [...known.all, ...known.peers];
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new OptionsError(`Unknown measure: ${unknown.join(', ')}. The measures are: ${names.join(', ')}.`);
  }
  const { json, quick, save } = values;
  return { wanted: 'run', names: names.filter((name) => wanted.includes(name)), json, quick, save };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        save: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}
