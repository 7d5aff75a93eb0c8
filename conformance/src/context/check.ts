import { type Cost, totalCost } from './budget/cost.ts';
import type { Fixture } from './fixture.ts';
import { defaultWalkSteps, type Profile } from './options.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import type { Run } from './run.ts';

/** A precondition that the operator provides: an option of the command line. */
export type Need = 'credits' | 'clock' | 'stream' | 'suspension' | 'crowd';

/** What the plan of a run knows of a check or an observation. */
export interface Step {
  readonly id: string;
  /** The ids of the requirements concerned. */
  readonly covers: readonly string[];
  /** An upper bound of its requests beside those of its fixtures; what is absent is 0. A test measures it. */
  readonly cost?: Partial<Cost>;
  /** The same where the server limits no changes: a check then tries all of its cases, and else a few of them. */
  readonly costWithoutPace?: Partial<Cost>;
  /** The same for a random walk of so many commands; `cost` is that of the usual number. */
  readonly costOfSteps?: (steps: number) => Partial<Cost>;
  readonly fixtures?: readonly Fixture<unknown>[];
  readonly needs?: readonly Need[];
  /** How many agents it takes beside those of the pool; the steps of a run share them. */
  readonly crowd?: number;
  /** Whether it has another way to judge than with them. */
  readonly isCrowdOptional?: boolean;
  /** The registration of the pool that it takes and that few others do: without it the step is not tested. */
  readonly registration?: RegistrationCase;
  /** Attempts to register beside those of the pool and of a crowd: with a limit of registrations, and without one. */
  readonly attempts?: { readonly limited: number; readonly unlimited: number };
}

/** Tests one rule of the specification; a violation is thrown. */
export interface Check extends Step {
  /** The rule, as a sentence. */
  readonly rule: string;
  /** Only runs that declare this profile include the check. */
  readonly profile?: Profile;
  judge(run: Run): Promise<void>;
}

/** How a server behaves where the specification has a decision. */
export interface Behaviour {
  readonly observed: string;
  /** Whether the reference server behaves the same way. */
  readonly matchesDecision: boolean;
}

/** Observes how a server behaves where the specification has a decision; only strict runs judge it. */
export interface Observation extends Step {
  /** The question that a decision settles. */
  readonly question: string;
  observe(run: Run): Promise<Behaviour>;
}

/** What these steps cost together, with random walks of so many commands; a fixture that several of them share counts once. */
export function costOf(steps: readonly Step[], walkSteps = defaultWalkSteps, isPaced = true): Cost {
  const fixtures = new Set(steps.flatMap(({ fixtures }) => fixtures ?? []));
  const costs = steps.map(({ cost, costWithoutPace, costOfSteps }) => {
    const own = isPaced ? cost : (costWithoutPace ?? cost);
    return costOfSteps?.(walkSteps) ?? own ?? {};
  });
  return totalCost([...costs, ...[...fixtures].map(({ cost }) => cost)]);
}
