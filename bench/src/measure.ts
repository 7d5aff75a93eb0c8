/** What a figure has to reach; a figure without a target is only shown. */
export type Bound = { readonly atLeast: number } | { readonly below: number };

/** One number of a measure. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Empty for a ratio. */
  readonly unit: string;
  /** The smallest and the largest of the values that `value` was made from. */
  readonly range?: readonly [number, number];
  readonly target?: Bound;
}

/** What a measure may use of the run that it is part of. */
export interface Run {
  /** A short run, which proves that the measure works; its figures are rough. */
  readonly quick: boolean;
  /** The address of an empty database on the PostgreSQL of this run, which starts with the first call. */
  freshDatabase(): Promise<string>;
  /** A folder that is removed after the run. */
  freshFolder(): string;
  /** Tells how far it is. */
  say(line: string): void;
}

/** A named measurement, which can be run alone. */
export interface Measure {
  readonly name: string;
  /** One line on what is compared with what. */
  readonly title: string;
  take(run: Run): Promise<readonly Figure[]>;
}

/** Tells whether a figure is where it has to be. */
export function isReached(figure: Figure): boolean {
  if (figure.target === undefined) return true;
  return 'atLeast' in figure.target ? figure.value >= figure.target.atLeast : figure.value < figure.target.below;
}
