import type { Command, Option } from 'commander';

export class ParsedArguments {
  readonly #options: readonly Option[];
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #operands: readonly string[];

  constructor(command: Command, program: Command) {
    this.#options = [...command.options, ...program.options];
    this.#values = command.optsWithGlobals();
    this.#operands = command.args;
  }

  /** Options are named by their long name, without the dashes. */
  text(name: string): string | undefined {
    const value = this.#read(name);
    return typeof value === 'string' ? value : undefined;
  }

  required(name: string): string {
    return present(this.text(name), `--${name}`);
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    return choices.find((choice) => choice === this.text(name));
  }

  list(name: string): readonly string[] {
    const value = this.#read(name);
    return Array.isArray(value) ? value.map(String) : [];
  }

  flag(name: string): boolean {
    return this.#read(name) === true;
  }

  /** The positional arguments. */
  get words(): readonly string[] {
    return this.#operands;
  }

  argument(index: number): string {
    return present(this.#operands[index], `argument ${index}`);
  }

  optionalArgument(index: number): string | undefined {
    return this.#operands[index];
  }

  #read(name: string): unknown {
    const option = this.#options.find(({ long }) => long === `--${name}`);
    if (option === undefined) throw new Error(`The option --${name} is read but not declared.`);
    const value = this.#values[option.attributeName()];
    return option.negate ? value === false : value;
  }
}

function present(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is read as mandatory, but it is not declared as mandatory.`);
  return value;
}

/** Partial updates and optional request members must not contain undefined. */
export function withoutUndefined<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
