import type { BenchRun } from './run.ts';

/** The target of a figure; a figure without a target is only shown. */
export type FigureTarget = { readonly atLeast: number } | { readonly below: number };

/** One number that a measure yields. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The unit; empty for a ratio. */
  readonly unit: string;
  /** The smallest and the largest of the values from which `value` was computed. */
  readonly range?: readonly [number, number];
  readonly target?: FigureTarget;
}

/** A named measurement, which can be run by itself. */
export interface Measure {
  readonly name: string;
  /** One line about what is measured. */
  readonly title: string;
  /** The baseline of the comparison. */
  readonly baseline?: string;
  /** Work that the baseline omits. */
  readonly leavesOut?: string | undefined;
  take(run: BenchRun): Promise<readonly Figure[]>;
}

export function isTargetReached({ value, target }: Figure): boolean {
  if (target === undefined) return true;
  return 'atLeast' in target ? value >= target.atLeast : value < target.below;
}
