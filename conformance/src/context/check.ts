import type { Random } from '../world/random.ts';
import type { Agent } from './agent.ts';
import { type Cost, sumCosts } from './budget/cost.ts';
import { type ConformanceProfile, defaultWalkSteps } from './options.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import type { RunSession } from './run.ts';

/** How many of the cases of a requirement a run has tested; later runs test the remaining ones. */
export interface CaseCounts {
  readonly made: number;
  readonly of: number;
}

/** Functions with which a check tests its requirements. With `isPart`, a success does not count as a pass. */
export interface RequirementTests {
  /**
   * Tests one requirement, or several that state the same rule. A violation fails only these: the method returns
   * undefined, and the check continues.
   */
  requirement<T>(
    id: string | readonly string[],
    work: () => T | Promise<T>,
    options?: { readonly cases: CaseCounts } | { readonly isPart: true },
  ): Promise<T | undefined>;
  /** Like `requirement`, but a violation also ends the check, because its remaining steps depend on this one. */
  precondition<T>(id: string, work: () => T | Promise<T>, options?: { readonly isPart: true }): Promise<T>;
}

const untested = async <T>(_id: unknown, work: () => T | Promise<T>) => await work();

/** Runs the work without recording verdicts: any error, including a violation, ends the step. */
export const noRequirementTests: RequirementTests = { requirement: untested, precondition: untested };

/** The run that one check receives, with separate verdicts and random choices independent of earlier checks. */
export interface Run extends RunSession, RequirementTests {
  /** The session that all checks of the run share. */
  readonly session: RunSession;
  readonly random: Random;
}

export function openRunForStep(session: RunSession, id: string, tests: RequirementTests): Run {
  return { ...session, ...tests, session, random: session.randomOf(id) };
}

/** State on the server that checks share; created once per run, when a check first needs it. */
export interface Fixture<T> {
  (run: Run): Promise<T>;
  /** An upper bound of the cost, which a plan counts only once. */
  readonly cost: Partial<Cost>;
}

/** A failure of `make` is stored too, so every check that needs the fixture fails the same way. */
export function defineFixture<T>(cost: Partial<Cost>, make: (run: Run) => Promise<T>): Fixture<T> {
  const made = new WeakMap<RunSession, Promise<T>>();
  const get = (run: Run) => {
    const known = made.get(run.session) ?? make(run);
    made.set(run.session, known);
    return known;
  };
  return Object.assign(get, { cost });
}

/** A precondition of a check that a command line option must meet. */
export type Prerequisite = 'credits' | 'clock' | 'stream' | 'suspension' | 'crowd';

/** The properties of a check or an observation that a plan uses. */
export interface Step {
  readonly id: string;
  /** The ids of the requirements that the step judges or observes. */
  readonly covers: readonly string[];
  /** An upper bound of the step's requests, without those of its fixtures; absent members are 0. Tests verify it. */
  readonly cost?: Partial<Cost>;
  /** The cost in a run without pacing, in which the check tests all of its cases instead of a few. */
  readonly costWithoutPace?: Partial<Cost>;
  /** The cost if the random walk has this many commands; `cost` applies to the default number. */
  readonly costOfSteps?: (steps: number) => Partial<Cost>;
  readonly fixtures?: readonly Fixture<unknown>[];
  readonly needs?: readonly Prerequisite[];
  /** How many extra agents the step needs in addition to those of the pool; the steps of a run share them. */
  readonly extraAgents?: number;
  /** Whether the step can also run without extra agents. */
  readonly areExtraAgentsOptional?: boolean;
  /** A registration case of the pool that few other steps need; without it, the step is not tested. */
  readonly registration?: RegistrationCase;
  /** How many registrations the step attempts itself, in a run with and without a registration limit. */
  readonly attempts?: { readonly limited: number; readonly unlimited: number };
}

/** Tests one rule of the specification; `judge` throws a violation if the server breaks it. */
export interface Check extends Step {
  readonly rule: string;
  /** If given, only runs with this profile include the check. */
  readonly profile?: ConformanceProfile;
  judge(run: Run): Promise<void>;
}

/** How a server behaves in a case that the specification leaves open, compared with a decision of this project. */
export interface ObservedBehaviour {
  readonly observed: string;
  /** Whether the behaviour is the one that the decision chose for the reference server. */
  readonly matchesDecision: boolean;
}

/** Observes behaviour that the specification leaves open. Only strict runs judge it. */
export interface Observation extends Step {
  /** The question that a decision of this project answers. */
  readonly question: string;
  observe(run: Run): Promise<ObservedBehaviour>;
}

/** The total cost of these steps if random walks have this many commands; a shared fixture counts once. */
export function costOf(steps: readonly Step[], walkSteps = defaultWalkSteps, isPaced = true): Cost {
  const fixtures = new Set(steps.flatMap(({ fixtures }) => fixtures ?? []));
  const costs = steps.map(({ cost, costWithoutPace, costOfSteps }) => {
    const own = isPaced ? cost : (costWithoutPace ?? cost);
    return costOfSteps?.(walkSteps) ?? own ?? {};
  });
  return sumCosts([...costs, ...[...fixtures].map(({ cost }) => cost)]);
}

/** Returns what a check or an observation starts from: a fixture, or agents that other checks also use. */
export type StartingState<T> = Fixture<T> | ((run: Run) => Promise<T>);

/** Defines a check whose `judge` receives the starting state. A cost in credits or sockets adds the matching need. */
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

export function fixturesOf<T>(start: StartingState<T>): readonly Fixture<T>[] {
  return 'cost' in start ? [start] : [];
}

export function primaryAgent(run: Run): Promise<Agent> {
  return run.primaryAgent();
}

/** The starting state of checks that use the new agent, which no later run uses. */
export function freshAgent(run: Run): Promise<Agent> {
  return run.freshAgent();
}
