/** What was typed for one verb, read by name. */
export interface Typed {
  /** The value of an option, by its long name without the dashes. */
  text(option: string): string | undefined;
  /** The value of an option that the parser has made sure of. */
  required(option: string): string;
  /** All values of an option that may be given more than once. */
  list(option: string): readonly string[];
  /** Whether an option without a value is there. */
  flag(option: string): boolean;
  /** A positional argument that the parser has made sure of. */
  argument(index: number): string;
  /** The positional arguments from an index on. */
  rest(index: number): readonly string[];
}
