import printed from '../../commands.json' with { type: 'json' };
import type { DataSchema } from './data-schema.ts';
import type { Effect, Repeat } from './effects.ts';
import type { InputSchema } from './input-schema.ts';

/** A command as data. */
export interface CommandSurface {
  /** A noun with its verb, or only a verb. */
  readonly command: string;
  readonly summary: string;
  readonly description?: string;
  readonly effect: Effect;
  readonly repeat: Repeat;
  /** The operations of the contract that it calls, the main one first. */
  readonly operations: readonly string[];
  readonly exit_codes: readonly number[];
  readonly examples: readonly string[];
  /** One envelope, a line of JSON for each item, or a text. */
  readonly prints: 'envelope' | 'lines' | 'text';
  readonly in: InputSchema;
  /** The data of the envelope, or of each line. */
  readonly out?: DataSchema;
}

/** The parts of the CLI that users and programs may rely on. */
export interface Surface {
  readonly program: string;
  readonly exit_codes: readonly { readonly code: number; readonly meaning: string }[];
  /** The options that every command takes. */
  readonly options: InputSchema;
  readonly nouns: readonly { readonly noun: string; readonly summary: string }[];
  readonly commands: readonly CommandSurface[];
  readonly $defs: { readonly [title: string]: DataSchema };
}

/** The catalogue of this version as `npm run generate` prints it. */
export const surface = printed as unknown as Surface;

/** The commands that begin with these words, and the records that their data refer to. */
export function selectCommands(whole: Surface, words: readonly string[]): Surface {
  const commands = whole.commands.filter(({ command }) => `${command} `.startsWith([...words, ''].join(' ')));
  const nouns = whole.nouns.filter(({ noun }) => commands.some(({ command }) => command.startsWith(`${noun} `)));
  return { ...whole, nouns, commands, $defs: findDefinitions(commands, whole.$defs) };
}

/** The records that commands refer to, directly or through others; throws for a record that is not among `all`. */
export function findDefinitions(commands: readonly CommandSurface[], all: Surface['$defs']): Surface['$defs'] {
  const found = new Set<string>();
  const follow = (schema: unknown): void => {
    for (const [, title = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (found.has(title)) continue;
      if (all[title] === undefined) throw new Error(`The record "${title}" does not exist.`);
      found.add(title);
      follow(all[title]);
    }
  };
  follow(commands.map(({ out }) => out ?? {}));
  return Object.fromEntries(Object.entries(all).filter(([title]) => found.has(title)));
}
