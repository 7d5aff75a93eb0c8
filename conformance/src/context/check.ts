import type { Random } from '../world/random.ts';
import type { Agent } from './agent.ts';
import { type Cost, sumCosts } from './budget/cost.ts';
import { type ConformanceProfile, defaultWalkSteps } from './options.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import type { Session } from './run.ts';

/** How many cases of a requirement a run tests; later runs test the remaining ones. */
export interface CaseCounts {
  readonly made: number;
  readonly of: number;
}

/** Functions for testing the requirements of a check. A test of only a part (`isPart`) is not enough for a pass. */
export interface RequirementTests {
  /**
   * Tests a requirement, or several with the same rule: a violation fails only this requirement, and the check continues
   * without a value.
   */
  requirement<T>(
    id: string | readonly string[],
    work: () => T | Promise<T>,
    options?: { readonly cases: CaseCounts } | { readonly isPart: true },
  ): Promise<T | undefined>;
  /** Like `requirement`, for a step on which the rest of the check depends: a violation also ends the check. */
  precondition<T>(id: string, work: () => T | Promise<T>, options?: { readonly isPart: true }): Promise<T>;
}

const untested = async <T>(_id: unknown, work: () => T | Promise<T>) => await work();

/** Records no verdicts: any error, including a violation, ends the step. */
export const noRequirementTests: RequirementTests = { requirement: untested, precondition: untested };

/** The run as one check uses it: with separate verdicts, and random choices that do not depend on earlier checks. */
export interface Run extends Session, RequirementTests {
  /** The session that all checks of the run share. */
  readonly session: Session;
  readonly random: Random;
}

/** Makes the run as the check or observation with this id uses it. */
export function openStep(session: Session, id: string, tests: RequirementTests): Run {
  return { ...session, ...tests, session, random: session.randomOf(id) };
}

/** State that checks share; it is created once per run, when a check first needs it. */
export interface Fixture<T> {
  (run: Run): Promise<T>;
  /** An upper bound of the cost; a plan counts it once. */
  readonly cost: Partial<Cost>;
}

/** Defines a fixture; if `make` fails, the failure is stored too. */
export function defineFixture<T>(cost: Partial<Cost>, make: (run: Run) => Promise<T>): Fixture<T> {
  const made = new WeakMap<Session, Promise<T>>();
  const get = (run: Run) => {
    const known = made.get(run.session) ?? make(run);
    made.set(run.session, known);
    return known;
  };
  return Object.assign(get, { cost });
}

/** A precondition that the operator provides through a command line option. */
export type Need = 'credits' | 'clock' | 'stream' | 'suspension' | 'crowd';

/** The properties of a check or an observation that a plan uses. */
export interface Step {
  readonly id: string;
  /** The ids of the requirements concerned. */
  readonly covers: readonly string[];
  /** An upper bound of the step's requests, without those of its fixtures; absent members are 0. Tests verify it. */
  readonly cost?: Partial<Cost>;
  /** The cost in a run without pauses, in which the check sends all of its cases instead of a few. */
  readonly costWithoutPace?: Partial<Cost>;
  /** The cost with a random walk of this many commands; `cost` applies to the default number. */
  readonly costOfSteps?: (steps: number) => Partial<Cost>;
  readonly fixtures?: readonly Fixture<unknown>[];
  readonly needs?: readonly Need[];
  /** How many extra agents the step needs in addition to those of the pool; the steps of a run share them. */
  readonly extraAgents?: number;
  /** Whether the step can also run without extra agents. */
  readonly areExtraAgentsOptional?: boolean;
  /** A registration of the pool that few other steps need; without it, the step is not tested. */
  readonly registration?: RegistrationCase;
  /** Registration attempts besides those of the pool and the extra agents, with and without a registration limit. */
  readonly attempts?: { readonly limited: number; readonly unlimited: number };
}

/** Tests one rule of the specification; `judge` throws violations. */
export interface Check extends Step {
  readonly rule: string;
  /** Only runs with this profile include the check. */
  readonly profile?: ConformanceProfile;
  judge(run: Run): Promise<void>;
}

/** How a server behaves where the specification leaves it open, compared with a decision of this project. */
export interface ObservedBehaviour {
  readonly observed: string;
  /** Whether the reference server behaves the same way. */
  readonly matchesDecision: boolean;
}

/** Observes behaviour that the specification leaves open. Only strict runs judge it, by a decision of this project. */
export interface Observation extends Step {
  /** The question that a decision of this project answers. */
  readonly question: string;
  observe(run: Run): Promise<ObservedBehaviour>;
}

/** The total cost of these steps, with random walks of this many commands; a shared fixture counts once. */
export function costOf(steps: readonly Step[], walkSteps = defaultWalkSteps, isPaced = true): Cost {
  const fixtures = new Set(steps.flatMap(({ fixtures }) => fixtures ?? []));
  const costs = steps.map(({ cost, costWithoutPace, costOfSteps }) => {
    const own = isPaced ? cost : (costWithoutPace ?? cost);
    return costOfSteps?.(walkSteps) ?? own ?? {};
  });
  return sumCosts([...costs, ...[...fixtures].map(({ cost }) => cost)]);
}

/** The starting state of a check or an observation: a fixture, or agents that other checks also use. */
export type StartingState<T> = Fixture<T> | ((run: Run) => Promise<T>);

/** Defines a check whose `judge` receives the starting state; its cost determines which options the check needs. */
export function defineCheck<T>(
  start: StartingState<T>,
  { judge, ...check }: Omit<Check, 'judge'> & { judge(start: T, run: Run): Promise<void> },
): Check {
  const { cost = {}, fixtures = [], needs = [] } = check;
  return {
    ...check,
    fixtures: [...fixturesOf(start), ...fixtures],
    needs: [
      ...needs,
      ...(cost.creditsMinor ? (['credits'] as const) : []),
      ...(cost.sockets ? (['stream'] as const) : []),
    ],
    judge: async (run) => judge(await start(run), run),
  };
}

/** The starting state in a list if it is a fixture, otherwise an empty list. */
export function fixturesOf<T>(start: StartingState<T>): readonly Fixture<T>[] {
  return 'cost' in start ? [start] : [];
}

/** The starting state of checks that use the primary agent of the pool. */
export function primaryAgent(run: Run): Promise<Agent> {
  return run.primaryAgent();
}

/** The starting state of checks that use the new agent, which no later run uses. */
export function freshAgent(run: Run): Promise<Agent> {
  return run.freshAgent();
}
