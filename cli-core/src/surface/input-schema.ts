import { Argument, Option } from 'commander';

/** The JSON Schema of an argument or option, and its form on the command line. */
interface InputProperty {
  readonly type: 'string' | 'boolean' | 'integer' | 'array';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly type: 'string'; readonly enum?: readonly string[] };
  readonly default?: unknown;
  /** `--title <text>`, or `<id>` for an argument. */
  readonly 'x-usage': string;
  /** The options that cannot be used with this one. */
  readonly 'x-excludes'?: readonly string[];
}

/** The JSON Schema of a command line: its arguments in order, then its options by long name. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: InputProperty };
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

export interface CommandParameters {
  readonly arguments?: readonly Argument[] | undefined;
  readonly options?: readonly Option[] | undefined;
}

export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

export function describeInput({ arguments: operands = [], options = [] }: CommandParameters): InputSchema {
  const namesOf = new Map(options.map((option) => [option.attributeName(), nameOf(option)]));
  const described = options.map((option) => [nameOf(option), describeOption(option, namesOf)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...operands.map((operand) => [operand.name(), describeArgument(operand)] as const),
      ...described,
    ]),
    required: [
      ...operands.filter(({ required }) => required).map((operand) => operand.name()),
      ...options.filter(({ mandatory }) => mandatory).map(nameOf),
    ],
    additionalProperties: false,
  };
}

function describeArgument(argument: Argument): InputProperty {
  const { required, argChoices } = argument;
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return {
    type: 'string',
    description: argument.description,
    ...(argChoices === undefined ? {} : { enum: argChoices }),
    'x-usage': required ? `<${name}>` : `[${name}]`,
  };
}

function describeOption(option: Option, namesOf: ReadonlyMap<string, string>): InputProperty {
  const { flags, description, argChoices, defaultValue } = option;
  const excluded = conflictsOf(option).flatMap((attribute) => namesOf.get(attribute) ?? []);
  const values = argChoices === undefined ? {} : { enum: argChoices };
  return {
    ...(option.parseArg === collect
      ? { type: 'array', items: { type: 'string', ...values } }
      : { type: option.required || option.optional ? 'string' : 'boolean', ...values }),
    description,
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    'x-usage': flags,
    ...(excluded.length === 0 ? {} : { 'x-excludes': excluded }),
  };
}

/** The inverse of `describeInput`. */
export function toCommandParameters({ properties, required }: InputSchema) {
  const entries = Object.entries(properties);
  const isOption = ([, property]: (typeof entries)[number]) => property['x-usage'].startsWith('-');
  return {
    arguments: entries.filter((entry) => !isOption(entry)).map(([, property]) => toArgument(property)),
    options: entries
      .filter(isOption)
      .map(([name, property]) => toOption(property, required.includes(name), properties)),
  };
}

function toArgument({ description, enum: choices, ...property }: InputProperty): Argument {
  const argument = new Argument(property['x-usage'], description);
  return choices === undefined ? argument : argument.choices(choices);
}

function toOption(property: InputProperty, isRequired: boolean, all: InputSchema['properties']): Option {
  const { description, default: value } = property;
  const choices = listChoices(property);
  const option = new Option(property['x-usage'], description).makeOptionMandatory(isRequired);
  if (choices !== undefined) option.choices(choices);
  if (value !== undefined) option.default(value);
  if (property.type === 'array') option.argParser(collect);
  for (const name of property['x-excludes'] ?? []) {
    const excluded = all[name];
    if (excluded !== undefined) option.conflicts(new Option(excluded['x-usage']).attributeName());
  }
  return option;
}

/** The permitted values of an argument or option, or of each repetition; undefined for any text. */
export function listChoices({ enum: choices, items }: InputProperty): readonly string[] | undefined {
  return choices ?? items?.enum;
}

/** The name of an option as typed, without dashes. */
function nameOf({ long }: Option): string {
  return (long ?? '').replace(/^--/, '');
}

// Commander has no public member for the conflicts of an option.
function conflictsOf(option: Option): readonly string[] {
  const conflicts: unknown = Reflect.get(option, 'conflictsWith');
  return Array.isArray(conflicts) ? conflicts.map(String) : [];
}
