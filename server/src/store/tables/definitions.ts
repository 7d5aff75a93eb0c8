export function namedChecks(expressions: Readonly<Record<string, string>>): { name: string; expression: string }[] {
  return Object.entries(expressions).map(([name, expression]) => ({ name, expression }));
}

/** Defines an index that only SQL can express; `on` is the text after "create index … on". */
export function sqlIndex<const P extends string>(
  name: string,
  properties: P[],
  on: string,
  unique: '' | 'unique ' = '',
): { name: string; properties: P[]; expression: string } {
  return { name, properties, expression: `create ${unique}index ${name} on ${on}` };
}
