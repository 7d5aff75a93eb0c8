import type { BenchRun } from './run.ts';

/** A figure without a target is only displayed. */
export type FigureTarget = { readonly atLeast: number } | { readonly below: number };

export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The unit; empty for a ratio. */
  readonly unit: string;
  /** The smallest and largest of the values that `value` summarizes. */
  readonly range?: readonly [number, number];
  readonly target?: FigureTarget;
}

export interface Measure {
  readonly name: string;
  readonly title: string;
  /** Describes what the figures are compared with. */
  readonly baseline?: string;
  /** Work that the server does and the baseline omits. */
  readonly leavesOut?: string | undefined;
  take(run: BenchRun): Promise<readonly Figure[]>;
}

export function isTargetReached({ value, target }: Figure): boolean {
  if (target === undefined) return true;
  return 'atLeast' in target ? value >= target.atLeast : value < target.below;
}
