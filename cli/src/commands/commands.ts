import { Argument } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { ParsedArguments } from '../options/parsed-arguments.ts';
import { type Column, formatTable } from '../output/layout.ts';
import * as schema from '../surface/data-schema.ts';
import { type CommandSurface, type Surface, selectCommands, surface } from '../surface/surface.ts';
import { command } from './command.ts';

const described = schema.record(
  {
    command: schema.text,
    summary: schema.text,
    effect: schema.oneOf('read', 'write', 'money', 'irreversible'),
    repeat: schema.oneOf('safe', 'idempotent', 'with-key', 'never'),
    operations: schema.listOf(schema.text),
    exit_codes: schema.listOf(schema.integer),
    examples: schema.listOf(schema.text),
    prints: schema.oneOf('envelope', 'lines', 'text'),
    in: schema.anything,
  },
  { description: schema.text, out: schema.anything },
);

/** Describes the commands as data. */
export const commandsCommand = command({
  path: ['commands'],
  effect: 'read',
  repeat: 'safe',
  operations: [],
  summary: 'describe the commands: effect, arguments, data, exit codes; as JSON Schema with --json',
  description:
    'Needs no server. The JSON has the schemas of arguments and options (in) and of the data (out), with the records of the contract in $defs.',
  examples: ['agentp commands', 'agentp commands orders create --json', 'agentp commands --fields commands.command'],
  arguments: [new Argument('[noun]', 'only the commands of this noun'), new Argument('[verb]', 'only this command')],
  out: schema.record({
    program: schema.text,
    exit_codes: schema.listOf(schema.record({ code: schema.integer, meaning: schema.text })),
    options: schema.anything,
    nouns: schema.listOf(schema.record({ noun: schema.text, summary: schema.text })),
    commands: schema.listOf(described),
    $defs: schema.anything,
  }),
  parse: chooseCommands,
  run: async (chosen) => ({
    data: { ...chosen },
    format: (page) => formatTable(page, chosen.commands, columns, ''),
  }),
});

const columns: readonly Column<CommandSurface>[] = [
  ['COMMAND', ({ command }) => command],
  ['EFFECT', ({ effect }) => ({ text: effect, paint: effect === 'read' || effect === 'write' ? 'dim' : 'yellow' })],
  ['REPEAT', ({ repeat }) => repeat],
  ['SUMMARY', ({ summary }) => summary, 'text'],
];

function chooseCommands(args: ParsedArguments): Surface {
  const words = [args.optionalArgument(0), args.optionalArgument(1)].flatMap((word) => word ?? []);
  const chosen = selectCommands(surface, words);
  if (chosen.commands.length > 0) return chosen;
  throw new UsageError(`No command is called "${words.join(' ')}".`, 'See agentp commands');
}
