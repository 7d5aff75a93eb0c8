import { UsageError } from '../errors/failure.ts';

/**
 * The members that data can have, those that come and go included. What is
 * inside of a list stands for each of its entries; a `value` has no members, and
 * of `any` nothing is known.
 */
export interface Members {
  readonly [name: string]: Members | 'value' | 'any';
}

/**
 * Refuses fields that the data of a verb never have. It is done before the work:
 * afterwards a misspelled name would make work look undone.
 *
 * @throws UsageError
 */
export function refuseUnknownFields(fields: readonly string[], members: Members, command: string): void {
  for (const field of fields) {
    const known = findNamesInstead(field.split('.'), members);
    if (known === undefined) continue;
    throw new UsageError(`The data of "${command}" never have a "${field}".`, `There is: ${known.join(', ')}`);
  }
}

/** Undefined when the path leads somewhere; else the paths that there are where it goes astray. */
function findNamesInstead(path: readonly string[], members: Members): string[] | undefined {
  const names = new Map(Object.entries(members));
  const [name = '', ...rest] = path;
  const inside = names.get(name);
  if (inside === undefined) return [...names.keys()];
  if (rest.length === 0 || inside === 'any') return undefined;
  if (inside === 'value') return [name];
  return findNamesInstead(rest, inside)?.map((known) => `${name}.${known}`);
}
