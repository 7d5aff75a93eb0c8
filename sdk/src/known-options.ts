import { findNearestName } from '@agent-platform/contract/client';
import { ConfigurationError } from './errors.ts';
import { isRecord } from './json.ts';

interface OptionKind {
  /** The text after "it must be" in messages. */
  readonly form: string;
  readonly accepts: (value: unknown) => boolean;
}

export type OptionKinds<Options> = { readonly [Name in keyof Options]-?: OptionKind };

const typed = (form: string, type: string): OptionKind => ({ form, accepts: (value) => typeof value === type });

/** Number ranges and text formats are checked where the options are used. */
export const optionKinds = {
  text: typed('a string', 'string'),
  number: typed('a number', 'number'),
  flag: typed('true or false', 'boolean'),
  callback: typed('a function', 'function'),
  record: { form: 'an object', accepts: isRecord },
  // Without the explicit result type, the declaration files would import the `URL` type of Node.js.
  address: { form: 'a URL', accepts: (value: unknown): boolean => typeof value === 'string' || value instanceof URL },
  signal: {
    form: 'an AbortSignal',
    accepts: (value: unknown) => isRecord(value) && typeof value['aborted'] === 'boolean',
  },
  textOrNull: { form: 'a string or null', accepts: (value: unknown) => typeof value === 'string' || value === null },
} satisfies Record<string, OptionKind>;

/** The type of an option that is an object with these methods, such as a credential store. */
export function objectWithMethods(methods: readonly string[], form: string): OptionKind {
  return { form, accepts: (value) => isRecord(value) && methods.every((name) => typeof value[name] === 'function') };
}

/**
 * Rejects unknown options and values of the wrong type. `owner` is the start of error messages, such as
 * "new AgentPlatform()".
 */
export function checkOptions<Options>(owner: string, options: Options, kinds: OptionKinds<NoInfer<Options>>): void {
  if (!isRecord(options)) {
    throw new ConfigurationError(`${owner} needs an object of options, not ${describeType(options)}.`);
  }
  const known: Readonly<Record<string, OptionKind | undefined>> = kinds;
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw unknownOption(owner, name, Object.keys(known));
    if (value !== undefined && !kind.accepts(value)) {
      throw new ConfigurationError(`${name} is ${describeType(value)}; it must be ${kind.form}.`);
    }
  }
}

/** Refuses a value that is not in a fixed list. `what` is the start of the message, such as "The kind of an event". */
export function checkOneOf(what: string, value: unknown, known: readonly string[]): void {
  if (known.some((one) => one === value)) return;
  const nearest = typeof value === 'string' ? findNearestName(value, known) : undefined;
  const given = typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : describeType(value);
  const advice =
    nearest === undefined ? `one of ${known.join(', ')}.` : `one of ${known.join(', ')}. Did you mean "${nearest}"?`;
  throw new ConfigurationError(`${what} is ${given}; it must be ${advice}`);
}

/** Refuses a handler that is not a function, because otherwise the error would only occur on the first call. */
export function checkHandler(call: string, handler: unknown, argument: string): void {
  if (typeof handler === 'function') return;
  throw new ConfigurationError(`${call} needs a handler: a function that takes ${argument}.`);
}

function unknownOption(owner: string, name: string, known: readonly string[]): ConfigurationError {
  const nearest = findNearestName(name, known);
  const advice = nearest === undefined ? `Its options are ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  return new ConfigurationError(`${owner} has no option ${JSON.stringify(name)}. ${advice}`);
}

// The value itself is omitted, because it may be a secret.
function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  const type = typeof value;
  return type === 'object' ? 'an object of another class' : `a ${type}`;
}
