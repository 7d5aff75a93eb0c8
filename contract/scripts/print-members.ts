import type { TSchema } from 'typebox';

type Facts = Readonly<Record<string, unknown>>;

function formatForm(schema: TSchema): string {
  const facts = schema as Facts;
  const { const: value, enum: values, anyOf, items, pattern, title, 'x-form': form } = facts;
  if (value !== undefined) return `\`${String(value)}\``;
  if (form !== undefined) return String(form);
  if (Array.isArray(values)) return values.map((one) => `\`${String(one)}\``).join(', ');
  if (Array.isArray(anyOf)) return anyOf.map((part) => formatForm(part)).join(' or ');
  if (items !== undefined) return `list of ${formatForm(items as TSchema)}`;
  if (facts['properties'] !== undefined) return formatObject(facts['properties'] as object, String(title));
  if (facts['format'] === 'date-time') return 'time in UTC';
  if (facts['format'] === 'uuid') return 'a UUID';
  if (pattern === '^/') return 'a path';
  if (pattern !== undefined) return `text that matches \`${String(pattern)}\``;
  return `${facts['type']}${formatBounds(facts)}`;
}

function formatObject(properties: object, title: string): string {
  const names = Object.keys(properties);
  return names.length > 3 ? title.toLowerCase() : `\`{${names.join(', ')}}\``;
}

function formatBounds({ minimum, minLength, maxLength }: Facts): string {
  if (maxLength === undefined) return minimum === undefined ? '' : ` from ${String(minimum)}`;
  const longest = Number(maxLength).toLocaleString('en');
  return minLength === undefined ? ` up to ${longest}` : ` of ${String(minLength)} to ${longest}`;
}

/** A member of an object, with the path of the enclosing objects. */
export interface DocumentedMember {
  readonly path: string;
  readonly name: string;
  readonly form: string;
  /** The member's description in the contract, in addition to its form. */
  readonly meaning: string;
  readonly isOptional: boolean;
}

/**
 * Lists the members of an object. A nested object is replaced by its members, with their full paths, unless `isNamed`
 * returns true for it, because its title is enough.
 */
export function listMembers(
  schema: TSchema,
  isNamed: (member: TSchema) => boolean = () => false,
  path = '',
): readonly DocumentedMember[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, TSchema>>;
    required?: readonly string[];
  };
  return Object.entries(properties).flatMap(([name, member]) =>
    'properties' in member && !isNamed(member)
      ? listMembers(member, isNamed, `${path}${name}.`)
      : [
          {
            path: `${path}${name}`,
            name,
            form: formatForm(member),
            meaning: String((member as Facts)['description'] ?? ''),
            isOptional: !required.includes(name),
          },
        ],
  );
}
