import { UsageError } from '../errors/failure.ts';
import type { DataSchema } from '../surface/data-schema.ts';

/** The schemas of the records that other schemas refer to, by title. */
export type RecordSchemas = { readonly [title: string]: DataSchema };

/**
 * Refuses fields that a command's data never contain. This happens before the work, because afterwards an error would
 * suggest that the work was not done.
 *
 * @throws UsageError
 */
export function refuseUnknownFields(
  fields: readonly string[],
  known: DataSchema,
  definitions: RecordSchemas,
  command: string,
): void {
  for (const field of fields) {
    const alternatives = findAlternatives(field.split('.'), known, definitions);
    if (alternatives === undefined) continue;
    throw new UsageError(`The data of "${command}" has no field "${field}".`, `Fields: ${alternatives.join(', ')}`);
  }
}

/** Returns undefined if the path is known; otherwise the known paths at its first unknown name. */
function findAlternatives(
  [name, ...rest]: readonly string[],
  schema: DataSchema,
  definitions: RecordSchemas,
): string[] | undefined {
  if (name === undefined) return undefined;
  const members = membersOf(schema, definitions);
  if (members === 'any') return undefined;
  const inside = members.get(name);
  if (inside === undefined) return [...members.keys()];
  const alternatives = findAlternatives(rest, inside, definitions);
  // If the value has no fields, the path may only name the value itself.
  return alternatives?.length === 0 ? [name] : alternatives?.map((field) => `${name}.${field}`);
}

/** The members of data, or of each entry of a list; `any` if unknown. */
export function membersOf(schema: DataSchema, definitions: RecordSchemas): ReadonlyMap<string, DataSchema> | 'any' {
  const { $ref, items, properties, anyOf, allOf, type } = schema;
  const definition = $ref === undefined ? undefined : definitions[$ref.replace('#/$defs/', '')];
  if (definition !== undefined) return membersOf(definition, definitions);
  if (items !== undefined) return membersOf(items, definitions);
  const parts = [...(anyOf ?? []), ...(allOf ?? [])].map((part) => membersOf(part, definitions));
  const isOpen = type === undefined && parts.length === 0;
  if (isOpen || (type === 'object' && properties === undefined) || parts.includes('any')) return 'any';
  return new Map([...parts.flatMap((part) => (part === 'any' ? [] : [...part])), ...Object.entries(properties ?? {})]);
}
