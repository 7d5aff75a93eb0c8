import type { DataSchema } from '@agent-platform/cli-core/surface/data-schema';
import { type InputSchema, listChoices } from '@agent-platform/cli-core/surface/input-schema';
import type { CommandSurface, Surface } from '@agent-platform/cli-core/surface/surface';

/**
 * Lists what scripts may rely on, one promise per line: its name, and its meaning after ` = `. A new line is an
 * addition; a removed line is a breaking change.
 */
export function listPromises({ exit_codes, options, commands, $defs }: Surface): readonly string[] {
  return [
    ...exit_codes.map(({ code }) => `exit code ${code} = exists`),
    ...listInput('agentp', options),
    ...commands.flatMap(listCommand),
    ...Object.entries($defs).flatMap(([title, schema]) => listMembers(`record ${title}`, schema)),
  ];
}

function listCommand({ command, effect, repeat, prints, in: input, out = {} }: CommandSurface): readonly string[] {
  return [
    `${command} = ${prints}`,
    `${command} effect = ${effect}`,
    `${command} repeat = ${repeat}`,
    ...listInput(command, input),
    ...listMembers(`${command} data`, out),
  ];
}

function listInput(command: string, { properties, required }: InputSchema): readonly string[] {
  const entries = Object.entries(properties);
  const operands = entries.filter(([, property]) => !property['x-usage'].startsWith('-'));
  const lines = entries.map(([name, property]) => {
    const at = operands.findIndex(([operand]) => operand === name) + 1;
    // An argument is identified by its position, because its name is only displayed, never typed.
    const key = at === 0 ? `${command} --${name}` : `${command} argument ${at}`;
    const form = property.type === 'integer' ? 'string' : property.type;
    return [`${key} = ${form}`, ...(listChoices(property) ?? []).map((value) => `${key} ${value} = choice`)];
  });
  const names = required.map((name) => {
    const at = operands.findIndex(([operand]) => operand === name) + 1;
    return at === 0 ? `--${name}` : `argument ${at}`;
  });
  return [`${command} requires = ${names.join(', ') || 'nothing'}`, ...lines.flat()];
}

function listMembers(path: string, schema: DataSchema): readonly string[] {
  const { properties = {}, required = [], items, anyOf = [], allOf = [] } = schema;
  const inner = [
    ...Object.entries(properties).flatMap(([name, member]) => {
      const key = `${path}.${name}`;
      const presence = required.includes(name) ? 'always' : 'optional';
      return [`${key} = ${presence}, ${nameType(member)}`, ...listMembers(key, member)];
    }),
    ...(items === undefined ? [] : listMembers(path, items)),
    ...[...anyOf, ...allOf].flatMap((part) => listMembers(path, part)),
  ];
  const isBare = !path.includes('.') && inner.length === 0;
  return isBare ? [`${path} = ${nameType(schema)}`] : inner;
}

function nameType({ $ref, type, enum: values, const: value, items, anyOf, allOf }: DataSchema): string {
  if ($ref !== undefined) return $ref.replace('#/$defs/', 'record ');
  if (values !== undefined) return values.join(' | ');
  if (value !== undefined) return String(value);
  if (items !== undefined) return `list of ${nameType(items)}`;
  const parts = anyOf ?? allOf;
  return parts === undefined ? (type ?? 'anything') : parts.map(nameType).join(anyOf === undefined ? ' & ' : ' | ');
}

/** Finds promises that a version breaks but that its changelog does not name in backquotes. */
export function findUndocumentedBreaks(
  before: readonly string[],
  after: readonly string[],
  changes: string,
): readonly string[] {
  const kept = new Set(after);
  return before.filter((promise) => {
    if (kept.has(promise) || changes.includes(`\`${promise.split(' = ')[0]}\``)) return false;
    // Restricting a member that could have any form breaks nothing.
    const open = promise.endsWith('anything') ? promise.slice(0, -'anything'.length) : undefined;
    return open === undefined || !after.some((other) => other.startsWith(open));
  });
}
