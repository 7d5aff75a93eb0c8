import { defineCommand } from '@agent-platform/cli-core/command';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { type Column, formatTable } from '@agent-platform/cli-core/output/layout';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { type CommandSurface, type Surface, selectCommands, surface } from '@agent-platform/cli-core/surface/surface';
import { Argument, Option } from 'commander';

const described = schema.objectOf(
  {
    command: schema.text,
    summary: schema.text,
    effect: schema.enumOf('read', 'write', 'money', 'irreversible'),
    repeat: schema.enumOf('safe', 'idempotent', 'with-key', 'never'),
  },
  {
    description: schema.text,
    operations: schema.listOf(schema.text),
    exit_codes: schema.listOf(schema.integer),
    examples: schema.listOf(schema.text),
    prints: schema.enumOf('envelope', 'lines', 'text'),
    in: schema.anything,
    out: schema.anything,
  },
);

export const commandsCommand = defineCommand({
  path: ['commands'],
  effect: 'read',
  repeat: 'safe',
  operations: [],
  summary: 'list the commands with their effects, or describe one: arguments, data, exit codes',
  description:
    'Needs no server. The list has name, summary, effect and repeat class. For one command, or with --full for all commands, the JSON has the schemas of arguments and options (in) and of the data (out), with the records of the contract in $defs.',
  examples: ['agentp commands', 'agentp commands orders create --json', 'agentp commands --full --json'],
  arguments: [new Argument('[noun]', 'only the commands of this noun'), new Argument('[verb]', 'only this command')],
  options: [new Option('--full', 'describe each command in full')],
  out: schema.objectOf(
    {
      program: schema.text,
      exit_codes: schema.listOf(schema.objectOf({ code: schema.integer, meaning: schema.text })),
      nouns: schema.listOf(schema.objectOf({ noun: schema.text, summary: schema.text })),
      commands: schema.listOf(described),
    },
    { options: schema.anything, $defs: schema.anything },
  ),
  parse: chooseCommands,
  run: async ({ chosen, isFull }) => ({
    data: isFull ? { ...chosen } : shorten(chosen),
    format: (page) => formatTable(page, chosen.commands, columns, ''),
  }),
});

const columns: readonly Column<CommandSurface>[] = [
  ['COMMAND', ({ command }) => command],
  ['EFFECT', ({ effect }) => ({ text: effect, paint: effect === 'read' || effect === 'write' ? 'dim' : 'yellow' })],
  ['REPEAT', ({ repeat }) => repeat],
  ['SUMMARY', ({ summary }) => summary, 'text'],
];

/** Reduces the catalogue to the fields needed to choose a command. */
function shorten({ program, exit_codes, nouns, commands }: Surface) {
  const listed = commands.map(({ command, summary, effect, repeat }) => ({ command, summary, effect, repeat }));
  return { program, exit_codes, nouns, commands: listed };
}

function chooseCommands(args: ParsedArguments) {
  const words = [args.optionalArgument(0), args.optionalArgument(1)].flatMap((word) => word ?? []);
  const chosen = selectCommands(surface, words);
  const isFull = args.flag('full') || chosen.commands.length === 1;
  if (chosen.commands.length > 0) return { chosen, isFull };
  throw new UsageError(`No command is called "${words.join(' ')}".`, 'See agentp commands');
}
