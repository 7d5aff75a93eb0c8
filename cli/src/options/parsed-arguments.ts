/** The command line of one command after parsing, read by name. */
export interface ParsedArguments {
  /** The value of an option, by its long name without the dashes. */
  text(option: string): string | undefined;
  /** The value of a mandatory option. */
  required(option: string): string;
  /** The value of an option with choices. */
  choice<T extends string>(option: string, choices: readonly T[]): T | undefined;
  /** All values of a repeatable option. */
  list(option: string): readonly string[];
  /** Whether an option without a value is present. */
  flag(option: string): boolean;
  /** A mandatory positional argument. */
  argument(index: number): string;
  /** An optional positional argument. */
  optionalArgument(index: number): string | undefined;
}

/** Drops undefined members, as partial updates and optional request members need it. */
export function withoutUndefined<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
