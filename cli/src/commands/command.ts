import type { Argument, Option } from 'commander';
import type { Typed } from '../options/parsed-arguments.ts';
import type { Members } from '../output/output-fields.ts';
import type { Report } from '../output/report.ts';
import type { Session } from '../session/session.ts';

/** One verb of the command line: what can be typed, and what is done. */
export interface VerbDefinition<Input> {
  /** A noun with its verb, or a verb alone. */
  readonly path: readonly [string] | readonly [noun: string, verb: string];
  readonly summary: string;
  readonly description?: string;
  /** At least one command line that works. */
  readonly examples: readonly [string, ...string[]];
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** What its data can have; `--fields` is held against it before anything is done. A verb that prints a script has none. */
  readonly members?: Members;
  /** Not listed in the help. */
  readonly hidden?: boolean;
  /** Turns what was typed into input, without touching anything; throws `UsageError`. */
  readonly parse: (typed: Typed) => Input;
  /** Does the work. */
  readonly run: (input: Input, session: Session) => Promise<Report>;
}

/** A verb whose kind of input is its own affair. */
export interface Verb extends Omit<VerbDefinition<unknown>, 'parse' | 'run'> {
  /** Parses, and returns the work that is to be done. */
  readonly prepare: (typed: Typed) => (session: Session) => Promise<Report>;
}

/** Declares a verb; the type of its input flows from `parse` to `run`. */
export function verb<Input>({ parse, run, ...rest }: VerbDefinition<Input>): Verb {
  return {
    ...rest,
    prepare: (typed) => {
      const input = parse(typed);
      return (session) => run(input, session);
    },
  };
}

/** The input of a verb that takes none. */
export function nothing(): Record<never, never> {
  return {};
}
