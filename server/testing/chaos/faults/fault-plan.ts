import { makeSeededRandom, type SeededRandom } from '../../order-model/random.ts';
import { type FaultName, getFault } from './faults.ts';

export interface PlannedFault {
  readonly name: FaultName;
  readonly instance: number;
  /** Seconds after the start of the work. */
  readonly at: number;
  readonly seconds: number;
}

interface PlanDependencies {
  readonly seed: number;
  readonly seconds: number;
  readonly names: readonly FaultName[];
  readonly instances: number;
  /** Multiplies the durations of faults and of the pauses between them. */
  readonly pace: number;
}

/** The minimum and maximum pause before the first fault and between faults, in seconds. */
const rest = [12, 22] as const;
/** One in this many faults starts before the previous one ends. */
const overlapsOnceIn = 4;

/** Repeats all faults in random order until the end of the run. */
export function makeFaultPlan({ seed, seconds, names, instances, pace }: PlanDependencies): readonly PlannedFault[] {
  const random = makeSeededRandom(seed);
  const between = ([from, to]: readonly [number, number]) => pace * (from + (to - from) * random.next());
  const plan: PlannedFault[] = [];
  let bag: readonly FaultName[] = [];
  let at = between(rest);
  for (;;) {
    if (bag.length === 0) bag = shuffle(names, random);
    const [name, ...others] = bag;
    if (name === undefined) return plan;
    const fault = { name, instance: random.below(instances), at, seconds: between(getFault(name).seconds) };
    if (at + fault.seconds > seconds) return plan;
    plan.push(fault);
    bag = others;
    const next = others[0];
    const mayOverlap = next !== undefined && getFault(next).uses !== getFault(name).uses;
    at += mayOverlap && random.oneIn(overlapsOnceIn) ? fault.seconds / 2 : fault.seconds + between(rest);
  }
}

function shuffle<T>(from: readonly T[], random: SeededRandom): readonly T[] {
  return from
    .map((item) => ({ item, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
