import type { Figure, FigureTarget } from './measure.ts';
import { summarizeValues } from './statistics.ts';

export type ComparisonRound<Side extends string, Taken> = Readonly<Record<Side, Taken>>;

/**
 * Measures all sides in turn in each round. Values are only compared within a round, because other programs on the
 * machine then slow down all sides equally.
 */
export async function measureRounds<Side extends string, Taken>(
  count: number,
  sides: Readonly<Record<Side, () => Taken | Promise<Taken>>>,
): Promise<readonly ComparisonRound<Side, Taken>[]> {
  const rounds: ComparisonRound<Side, Taken>[] = [];
  const names = Object.keys(sides) as Side[];
  for (let number = 0; number < count; number += 1) {
    const entries: [Side, Taken][] = [];
    for (const side of names) entries.push([side, await sides[side]()]);
    rounds.push(Object.fromEntries(entries) as ComparisonRound<Side, Taken>);
  }
  return rounds;
}

/** A row of a report; the unit is empty for a ratio. */
export type FigureRow<Taken> = readonly [
  name: string,
  read: (round: Taken) => number,
  unit: string,
  target?: FigureTarget | undefined,
];

/** The value of each figure is the median of all rounds. */
export function toFigures<Taken>(rounds: readonly Taken[], rows: readonly FigureRow<Taken>[]): readonly Figure[] {
  return rows.map(([name, read, unit, target]) => {
    const figure = { name, ...summarizeValues(rounds.map(read)), unit };
    return target === undefined ? figure : { ...figure, target };
  });
}

export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
