import { UsageError } from '../errors/failure.ts';

/**
 * The fields that data can have, optional ones included. The fields of a list
 * are those of each entry; a `value` has no fields, and those of `any` are not
 * known.
 */
export interface OutputFields {
  readonly [name: string]: OutputFields | 'value' | 'any';
}

type Words<S extends string> = S extends `${infer Head} ${infer Rest}` ? Head | Words<Rest> : S;

/** Fields without inner fields, named in one text: `values('id handle')`. */
export function values<const S extends string>(names: S): { readonly [name in Words<S>]: 'value' } {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'value'])) as { [name in Words<S>]: 'value' };
}

/**
 * Refuses fields that the data of a command never have. This happens before the
 * work: afterwards a misspelled name would suggest that the work was not done.
 *
 * @throws UsageError
 */
export function refuseUnknownFields(fields: readonly string[], known: OutputFields, command: string): void {
  for (const field of fields) {
    const alternatives = findAlternatives(field.split('.'), known);
    if (alternatives === undefined) continue;
    throw new UsageError(`The data of "${command}" has no field "${field}".`, `Fields: ${alternatives.join(', ')}`);
  }
}

/** Undefined for a known path; else the known paths at the point where it departs from them. */
function findAlternatives([name = '', ...rest]: readonly string[], known: OutputFields): string[] | undefined {
  if (!Object.hasOwn(known, name)) return Object.keys(known);
  const inside = known[name];
  if (inside === undefined || rest.length === 0 || inside === 'any') return undefined;
  if (inside === 'value') return [name];
  return findAlternatives(rest, inside)?.map((field) => `${name}.${field}`);
}
