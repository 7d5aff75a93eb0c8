import type { DataSchema } from '@agent-platform/cli-core/surface/data-schema';
import { effectMeanings, repeatMeanings } from '@agent-platform/cli-core/surface/effects';
import { type InputSchema, listChoices } from '@agent-platform/cli-core/surface/input-schema';
import type { CommandSurface, Surface } from '@agent-platform/cli-core/surface/surface';
import { capitalize, formatMarkdownTable, formatUsage, markCode } from './markdown.ts';

/** Prints the reference page of all commands. */
export function printReference(surface: Surface): string {
  const sections = [
    '# The commands of `agentp`',
    'Printed by `npm run generate` from the catalogue of commands. `agentp commands --full --json` prints the same as JSON Schema.',
    '## Effects',
    formatMarkdownTable(['effect', 'meaning'], Object.entries(effectMeanings)),
    '## Repeats',
    'How to repeat a command whose outcome is unknown:',
    formatMarkdownTable(['class', 'repeat the command'], Object.entries(repeatMeanings)),
    '## Options of every command',
    formatInput(surface.options),
    ...surface.commands.flatMap((command) => formatCommand(command, surface)),
    '## Records',
    'The records of the contract in the data of the commands. A later server may add members.',
    ...Object.entries(surface.$defs).flatMap(([title, schema]) => [`### ${title}`, formatMembers(schema)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function formatCommand(command: CommandSurface, { nouns, commands }: Surface): readonly string[] {
  const [first = ''] = command.command.split(' ');
  const noun = nouns.find((candidate) => candidate.noun === first);
  const isFirst = commands.find((candidate) => candidate.command.split(' ')[0] === first) === command;
  const { description, effect, repeat, exit_codes, operations, examples } = command;
  return [
    ...(noun !== undefined && isFirst ? [`## ${noun.noun}`, `${capitalize(noun.summary)}.`] : []),
    `${noun === undefined ? '##' : '###'} agentp ${command.command}`,
    `${capitalize(command.summary)}.${description === undefined ? '' : ` ${markCode(description)}`}`,
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    formatMarkdownTable(
      ['usage', `\`${formatUsage(command)}\``],
      [
        ['effect', `${effect}: ${effectMeanings[effect]}`],
        ['repeat', `${repeat}: ${repeatMeanings[repeat]}`],
        ['operations', operations.length === 0 ? 'none' : operations.map((id) => `\`${id}\``).join(', ')],
        ['exit codes', exit_codes.join(', ')],
        ['prints', formatPrinted(command)],
      ],
    ),
    ...(Object.keys(command.in.properties).length === 0 ? [] : [formatInput(command.in)]),
  ];
}

function formatPrinted({ prints, out }: CommandSurface): string {
  if (prints === 'text' || out === undefined) return 'a text';
  return prints === 'lines' ? `one line of JSON for each item: ${formatType(out)}` : formatType(out);
}

function formatInput({ properties, required }: InputSchema): string {
  const rows = Object.entries(properties).map(([name, property]) => {
    const excludes = property['x-excludes'] ?? [];
    const choices = listChoices(property) ?? [];
    const notes = [
      ...(choices.length === 0 ? [] : [choices.map((value) => `\`${value}\``).join(', ')]),
      ...(property.default === undefined ? [] : [`default: \`${property.default}\``]),
      ...(excludes.length === 0 ? [] : [`not with ${excludes.map((other) => `\`--${other}\``).join(', ')}`]),
      ...(property['x-usage'].startsWith('-') && required.includes(name) ? ['required'] : []),
    ];
    return [`\`${property['x-usage']}\``, [markCode(property.description), ...notes].join('; ')];
  });
  return formatMarkdownTable(['argument or option', 'meaning'], rows);
}

function formatMembers({ properties = {}, required = [] }: DataSchema): string {
  const rows = Object.entries(properties).map(([name, member]) => {
    const notes = [formatType(member), ...(required.includes(name) ? [] : ['may be absent'])].join('; ');
    return [`\`${name}\``, notes, describe(member)];
  });
  return formatMarkdownTable(['member', 'form', 'meaning'], rows);
}

function describe({ description, anyOf = [] }: DataSchema): string {
  return description ?? anyOf.find((part) => part.description !== undefined)?.description ?? '';
}

function formatType(schema: DataSchema): string {
  const { $ref, type, format, enum: values, const: value, items, properties, anyOf, allOf } = schema;
  const title = $ref?.replace('#/$defs/', '');
  if (title !== undefined) return `[${title}](#${title.toLowerCase()})`;
  if (values !== undefined) return values.map((one) => `\`${one}\``).join(', ');
  if (value !== undefined) return `\`${value}\``;
  if (anyOf !== undefined) return anyOf.map(formatType).join(' or ');
  if (allOf !== undefined) return allOf.map(formatType).join(' with ');
  if (items !== undefined) return `list of ${formatType(items)}`;
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => `\`${name}\`: ${formatType(member)}`);
    return `(${members.join('; ')})`;
  }
  return format === 'uuid' ? 'id' : format === 'date-time' ? 'time' : (type ?? 'anything');
}
