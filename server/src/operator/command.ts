import type { Static, TObject, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { Refusal } from '../platform/refusal.ts';
import { OperatorFailure } from './failure.ts';
import type { OperatorParts } from './parts.ts';

/** A command as its file states it: what it takes, what it does, what it gives and how people see that. */
export interface CommandDefinition<A extends TObject, R extends TSchema> {
  /** A noun and a verb, or one word. */
  readonly name: string;
  readonly summary: string;
  readonly arguments: A;
  /** The arguments that stand without a flag, in their order. */
  readonly positional?: readonly (string & keyof A['properties'])[];
  /** True for the verb that a noun alone stands for. */
  readonly isDefault?: boolean;
  readonly result: R;
  run(parts: OperatorParts, args: Static<A>): Promise<Static<R>>;
  /** False of a result that makes the exit code 1, although the command was done. */
  readonly isGood?: (result: Static<R>) => boolean;
  /** How long the server may take for it; a minute without it. */
  readonly answerWithinMs?: number;
  /** For a command that changes something: what the server's log says of it. No secrets. */
  readonly audit?: (args: Static<A>, result: Static<R>) => Readonly<Record<string, unknown>>;
  /** The result for people, lines without control characters. */
  show(result: Static<R>): string;
}

/** One argument, for the command line and its help. */
export interface Parameter {
  readonly name: string;
  readonly meaning: string;
  /** What stands for the value in the help. */
  readonly placeholder: string;
  readonly isPositional: boolean;
  readonly isInteger: boolean;
}

/** A command of the table. What comes in and goes out is checked here, so that the table can hold all kinds. */
export interface OperatorCommand {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly isDefault: boolean;
  readonly answerWithinMs: number;
  /** Refuses arguments that the command does not take. */
  check(args: unknown): void;
  run(parts: OperatorParts, args: unknown): Promise<unknown>;
  /** Refuses a result that is not of this command: the server is of another version then. */
  show(result: unknown): string;
  /** Whether a result is what the operator hopes for; else the exit code is 1. */
  isGood(result: unknown): boolean;
}

/** A command may take this long in the server. */
const commandWithinMs = 60_000;

/** Makes a command of the table from its definition. */
export function operatorCommand<const A extends TObject, const R extends TSchema>(
  definition: CommandDefinition<A, R>,
): OperatorCommand {
  const { name, summary, result: resultSchema } = definition;
  const positional: readonly string[] = definition.positional ?? [];
  return {
    name,
    summary,
    isDefault: definition.isDefault ?? false,
    answerWithinMs: definition.answerWithinMs ?? commandWithinMs,
    parameters: Object.entries(definition.arguments.properties)
      .map(([parameter, schema]) => describeParameter(parameter, schema, positional.includes(parameter)))
      .sort((one, other) => positional.indexOf(one.name) - positional.indexOf(other.name)),
    check: (args) => void accept(definition.arguments, positional, args),
    run: async (parts, args) => {
      const accepted = accept(definition.arguments, positional, args);
      const result = await definition.run(parts, accepted);
      if (definition.audit !== undefined)
        parts.log.info({ by: 'operator', command: name, ...definition.audit(accepted, result) }, 'operator command');
      return result;
    },
    show: (result) => {
      if (!Value.Check(resultSchema, result)) throw anotherVersion(name);
      return definition.show(result);
    },
    isGood: (result) => Value.Check(resultSchema, result) && (definition.isGood?.(result) ?? true),
  };
}

function describeParameter(name: string, schema: TSchema, isPositional: boolean): Parameter {
  const meaning: unknown = Reflect.get(schema, 'description');
  const title: unknown = Reflect.get(schema, 'title');
  const isInteger = Reflect.get(schema, 'type') === 'integer';
  return {
    name,
    meaning: typeof meaning === 'string' ? meaning : '',
    placeholder: typeof title === 'string' ? title : isInteger ? 'n' : name,
    isPositional,
    isInteger,
  };
}

function accept<A extends TObject>(schema: A, positional: readonly string[], args: unknown): Static<A> {
  if (Value.Check(schema, args)) return args;
  const [fault] = Value.Errors(schema, args);
  const name = fault?.instancePath.slice(1) ?? '';
  const known = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  if (fault === undefined || known === undefined) {
    throw new Refusal('invalid_input', 'Unknown arguments for this command; --help lists the valid ones.');
  }
  const shown = positional.includes(name) ? name : `--${toFlag(name)}`;
  const meaning = describeParameter(name, known, false).meaning;
  throw new Refusal('invalid_input', `${shown} ${fault.message}. Expected: ${meaning}.`);
}

/** The flag of an argument: hyphens where the data have underscores. */
export function toFlag(name: string): string {
  return name.replaceAll('_', '-');
}

function anotherVersion(name: string): OperatorFailure {
  return new OperatorFailure(
    'another_version',
    `The running server answered "${name}" in a format unknown to this version. Use the operator of the server's own version.`,
  );
}
