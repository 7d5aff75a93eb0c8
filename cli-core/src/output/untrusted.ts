import type { DataSchema } from '../surface/data-schema.ts';
import type { RecordSchemas } from './output-fields.ts';

/**
 * Finds the texts that agents wrote, by the marks in the schema; returns a JSON pointer to each, prefixed with `root`.
 * If data are marked as a whole, their form is unknown, so the texts in them are recognized by member name.
 */
export function findUntrustedTexts(
  data: unknown,
  schema: DataSchema,
  definitions: RecordSchemas,
  root: string,
): readonly string[] {
  const found = new Set<string>();
  const names = namesOfTexts(definitions);
  const walk = (value: unknown, part: DataSchema, path: string): void => {
    const { $ref = '', anyOf = [], allOf = [], items, properties = {} } = part;
    const isMarked = part['x-untrusted'] === true;
    const definition = definitions[$ref.replace('#/$defs/', '')];
    for (const other of [...anyOf, ...allOf, ...(definition === undefined ? [] : [definition])]) {
      walk(value, other, path);
    }
    if (isMarked && typeof value === 'string' && value !== '') found.add(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const open = isMarked && (typeof inner === 'object' || names.has(name)) ? part : undefined;
      const member = (Array.isArray(value) ? items : properties[name]) ?? open;
      if (member !== undefined) walk(inner, member, `${path}/${escapeName(name)}`);
    }
  };
  walk(data, schema, root);
  return [...found];
}

function namesOfTexts(definitions: RecordSchemas): ReadonlySet<string> {
  const members = Object.values(definitions).flatMap(({ properties = {} }) => Object.entries(properties));
  return new Set(members.flatMap(([name, member]) => (member['x-untrusted'] === true ? [name] : [])));
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
