import type { Static, TObject, TSchema } from 'typebox';
import Type from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { type ActRecorder, makeActRecorder } from '../identity/audit-commands.ts';
import { Refusal } from '../platform/refusal.ts';
import type { OperatorDependencies } from './parts.ts';

export interface CommandDependencies extends OperatorDependencies {
  /** Records the command in the audit log, in the same transaction as its effect. */
  readonly record: ActRecorder;
}

interface CommandDefinition<A extends TObject, R extends object> {
  /** A noun and an action, or a single word. */
  readonly name: string;
  readonly summary: string;
  /** Required arguments are positional, in order; optional ones have a flag. */
  readonly arguments?: A;
  /** Whether the noun without an action runs this command. */
  readonly isDefault?: boolean;
  run(parts: CommandDependencies, args: Static<A>): Promise<R>;
  /** Whether the result is a success; if not, the exit code is 1. */
  readonly succeeded?: (result: R) => boolean;
  /** True if, on PostgreSQL, the command never runs in the server, because its version may be older. */
  readonly ofOwnVersion?: boolean;
  /** Whether the command prepares an installation: it creates the embedded database if there is none. */
  readonly preparesInstallation?: boolean;
  /** The time limit for the server's response; one minute by default. */
  readonly answerWithinMs?: number;
  /**
   * For a command that makes changes, returns the fields of its line in the server log, without secrets. A command with
   * `audit` accepts a reason.
   */
  readonly audit?: (result: R) => Readonly<Record<string, unknown>>;
  /** Formats the result as text without control characters. */
  format(result: R): string;
}

export interface CommandOutput {
  readonly result: unknown;
  readonly text: string;
  readonly succeeded: boolean;
}

/** All commands get the same type, so that one table can contain them. */
export function defineOperatorCommand<const A extends TObject, const R extends object>(
  definition: CommandDefinition<A, R>,
) {
  const { name, summary, isDefault = false, ofOwnVersion = false, answerWithinMs = 60_000 } = definition;
  const { preparesInstallation = false } = definition;
  const own: TObject = definition.arguments ?? noArguments;
  const schema = definition.audit === undefined ? own : makeArgumentsSchema({ ...own.properties, reason: Reason });
  const positional: readonly string[] = own.required ?? [];
  const validate = (args: unknown) => {
    if (!Check(schema, args)) throw invalidArguments(schema, positional, args);
    const { reason = null, ...rest } = args as { readonly reason?: string };
    return { reason, args: rest as Static<A> };
  };
  return {
    name,
    summary,
    arguments: schema,
    positional,
    isDefault,
    ofOwnVersion,
    preparesInstallation,
    answerWithinMs,
    /** Throws a refusal if the arguments are invalid. */
    check: (args: unknown) => void validate(args),
    run: async (parts: OperatorDependencies, sent: unknown): Promise<CommandOutput> => {
      const { reason, args } = validate(sent);
      const { by, clock: now } = parts;
      const record = makeActRecorder({ command: name, by, reason, now });
      const result = await definition.run({ ...parts, record }, args);
      if (definition.audit !== undefined)
        parts.log.info({ by: 'operator', command: name, ...definition.audit(result) }, 'operator command');
      return { result, text: definition.format(result), succeeded: definition.succeeded?.(result) ?? true };
    },
  };
}

export type OperatorCommand = ReturnType<typeof defineOperatorCommand>;

const noArguments = makeArgumentsSchema({});

export function makeArgumentsSchema<P extends Record<string, TSchema>>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false });
}

const Reason = Type.Optional(
  Type.String({ title: 'text', minLength: 1, maxLength: 1_000, description: 'why, for "audit list"' }),
);

export const HandleOrId = Type.String({
  title: 'handle or id',
  minLength: 1,
  maxLength: 64,
  description: 'the handle or the id of an agent',
});

export function integerOption(maximum: number, description: string, minimum = 1) {
  return Type.Optional(Type.Integer({ minimum, maximum, description }));
}

export const pageLimitOption = integerOption(1_000, 'maximum number of entries, 1 to 1000; default 100');

/** `parseTime` parses the value of this option. */
export function timeOption(title: string, description: string) {
  return Type.Optional(Type.String({ title, maxLength: 40, description }));
}

export const HandlesOrIds = Type.Array(HandleOrId, {
  title: 'handle or id',
  minItems: 1,
  maxItems: 100_000,
  description: 'the handles or ids of agents; or --file',
});

export function flagOption(description: string) {
  return Type.Optional(Type.Literal(true, { description }));
}

/** Derives the parsing of an argument, and the placeholder and meaning of its value in the help, from its schema. */
export function describeArgument(name: string, schema: TSchema) {
  // Typebox's general schema type lacks these keywords.
  const { title, description = '', type } = schema as Type.TSchemaOptions & { readonly type?: string };
  const isInteger = type === 'integer';
  const [isList, isFlag] = [type === 'array', type === 'boolean'];
  return { placeholder: title ?? (isInteger ? 'n' : name), meaning: description, isInteger, isList, isFlag };
}

export function formatFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function invalidArguments(schema: TObject, positional: readonly string[], args: unknown): Refusal {
  const [, [fault]] = Errors(schema, args);
  const name = fault?.instancePath.split('/')[1] ?? '';
  const argument = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  if (fault === undefined || argument === undefined) {
    return new Refusal('invalid_input', 'Unknown arguments for this command; --help lists the valid ones.');
  }
  const label = positional.includes(name) ? name : formatFlag(name);
  return new Refusal(
    'invalid_input',
    `${label} ${fault.message}. Expected: ${describeArgument(name, argument).meaning}.`,
  );
}
