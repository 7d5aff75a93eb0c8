import { ConfigurationError } from './errors.ts';
import { isRecord } from './json.ts';

/** What the value of an option must be. */
interface OptionKind {
  /** Completes "it must be …". */
  readonly form: string;
  readonly accepts: (value: unknown) => boolean;
}

/** The kind of every option of a call. */
export type OptionKinds<Options> = { readonly [Name in keyof Options]-?: OptionKind };

const typed = (form: string, type: string): OptionKind => ({ form, accepts: (value) => typeof value === type });

/** The kinds that most options have. What a number or a text must be in detail is checked where it is used. */
export const optionKinds = {
  text: typed('a string', 'string'),
  number: typed('a number', 'number'),
  flag: typed('true or false', 'boolean'),
  callback: typed('a function', 'function'),
  record: { form: 'an object', accepts: isRecord },
  address: { form: 'a URL', accepts: (value: unknown) => typeof value === 'string' || value instanceof URL },
  signal: {
    form: 'an AbortSignal',
    accepts: (value: unknown) => isRecord(value) && typeof value['aborted'] === 'boolean',
  },
  textOrNull: { form: 'a string or null', accepts: (value: unknown) => typeof value === 'string' || value === null },
} satisfies Record<string, OptionKind>;

/** The kind of an object with methods, such as a credential store. */
export function objectWith(methods: readonly string[], form: string): OptionKind {
  return { form, accepts: (value) => isRecord(value) && methods.every((name) => typeof value[name] === 'function') };
}

/**
 * Refuses an option that a call does not have, which would be ignored, and a
 * value of another type. `owner` begins the sentence: "new AgentPlatform()".
 */
export function checkOptions<Options>(owner: string, options: Options, kinds: OptionKinds<NoInfer<Options>>): void {
  if (!isRecord(options)) {
    throw new ConfigurationError(`${owner} takes an object of options, not ${describeType(options)}.`);
  }
  const known = new Map<string, OptionKind>(Object.entries(kinds));
  for (const [name, value] of Object.entries(options)) {
    const kind = known.get(name);
    if (kind === undefined) throw unknownOption(owner, name, [...known.keys()]);
    if (value !== undefined && !kind.accepts(value)) {
      throw new ConfigurationError(`${name} is ${describeType(value)}; it must be ${kind.form}.`);
    }
  }
}

function unknownOption(owner: string, name: string, known: readonly string[]): ConfigurationError {
  const nearest = findNearestName(name, known);
  const advice = nearest === undefined ? `Its options are ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  return new ConfigurationError(`${owner} has no option ${JSON.stringify(name)}. ${advice}`);
}

// The value itself may be a secret.
function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  const type = typeof value;
  return type === 'object' ? 'an object of another kind' : `a ${type}`;
}

const nameMaxLength = 64;

/** Finds the name that was probably meant, whatever its capitals, `_` and a missing part. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  const given = plainName(name.slice(0, nameMaxLength));
  const ranked = known
    .map((option) => ({ option, edits: editsBetween(given, plainName(option)) }))
    .toSorted((one, other) => one.edits - other.edits);
  return ranked.find(({ edits }) => edits <= Math.max(1, given.length / 3))?.option;
}

function plainName(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}

// Levenshtein's distance; a name that is a part of the other one counts as one edit.
function editsBetween(given: string, option: string): number {
  if (given !== option && given.length > 2 && (option.includes(given) || given.includes(option))) return 1;
  let row = Array.from({ length: option.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...given].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...option].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
