import { allMutants, faultyBuilds } from './mutants/all-mutants.ts';
import { frameMutants } from './mutants/frame-mutants.ts';
import type { Mutant } from './start-faulty.ts';

/** For each check, tests judge the faulty server that names the fewest checks; `lab -- kill-matrix` judges all. */
const fixed = new Set<Mutant>(chooseFixed([...allMutants, ...faultyBuilds, ...frameMutants]));

export function selectTestedMutants<M extends Mutant>(mutants: readonly M[]): readonly M[] {
  return mutants.filter((mutant) => fixed.has(mutant));
}

function chooseFixed(mutants: readonly Mutant[]): readonly Mutant[] {
  const byCount = mutants.toSorted((one, other) => one.kills.length - other.kills.length);
  const checks = [...new Set(mutants.flatMap(({ kills }) => kills))];
  return checks.flatMap((id) => byCount.find(({ kills }) => kills.includes(id)) ?? []);
}
