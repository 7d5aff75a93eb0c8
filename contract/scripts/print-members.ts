import type { TSchema } from 'typebox';

type Facts = Readonly<Record<string, unknown>>;

/** The form of a value in words. */
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
  if (pattern !== undefined) return `text of the form \`${String(pattern)}\``;
  return `${facts['type']}${formatBounds(facts)}`;
}

/** A small object by its members, any other by its title. */
function formatObject(properties: object, title: string): string {
  const names = Object.keys(properties);
  return names.length > 3 ? title.toLowerCase() : `\`{${names.join(', ')}}\``;
}

function formatBounds({ minimum, minLength, maxLength }: Facts): string {
  if (maxLength === undefined) return minimum === undefined ? '' : ` from ${String(minimum)}`;
  const longest = Number(maxLength).toLocaleString('en');
  return minLength === undefined ? ` up to ${longest}` : ` of ${String(minLength)} to ${longest}`;
}

/** A member of an object, with the path of the objects around it. */
export interface Member {
  readonly path: string;
  readonly name: string;
  readonly form: string;
  /** The description in the contract beside its form. */
  readonly meaning: string;
  readonly isOptional: boolean;
}

/** The members of an object; those of an object inside it have the path of both, unless `isNamed` says that its title is enough. */
export function listMembers(
  schema: TSchema,
  isNamed: (member: TSchema) => boolean = () => false,
  path = '',
): readonly Member[] {
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
