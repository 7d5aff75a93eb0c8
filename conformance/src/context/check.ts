import type { Random } from '../world/random.ts';
import type { Agent } from './agent.ts';
import { type Cost, totalCost } from './budget/cost.ts';
import { defaultWalkSteps, type Profile } from './options.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import type { Session } from './run.ts';

/** How many cases of a requirement a run tests; later runs test the others. */
export interface Cases {
  readonly made: number;
  readonly of: number;
}

/** How a check tests its requirements. A part of a requirement (`isPart`) is not enough for a pass. */
export interface RequirementTests {
  /**
   * Tests a requirement, or several with the same rule: a violation fails only this requirement, and the check continues
   * without a value.
   */
  requirement<T>(
    id: string | readonly string[],
    work: () => T | Promise<T>,
    options?: { readonly cases: Cases } | { readonly isPart: true },
  ): Promise<T | undefined>;
  /** The same for a step on which the rest of the check builds: a violation fails it and ends the check. */
  precondition<T>(id: string, work: () => T | Promise<T>, options?: { readonly isPart: true }): Promise<T>;
}

const untested = async <T>(_id: unknown, work: () => T | Promise<T>) => await work();

/** Does not record violations: any error ends the work. */
export const noRequirementTests: RequirementTests = { requirement: untested, precondition: untested };

/** The run from the view of one check, with its own verdicts and random choices, independent of earlier checks. */
export interface Run extends Session, RequirementTests {
  /** The session that all checks of the run share. */
  readonly session: Session;
  readonly random: Random;
}

/** Opens the view of a run for the check or observation with this id. */
export function openStep(session: Session, id: string, tests: RequirementTests): Run {
  return { ...session, ...tests, session, random: session.randomOf(id) };
}

/** State that checks share: created once in a run, when a check first needs it. */
export interface Fixture<T> {
  (run: Run): Promise<T>;
  /** An upper bound; a plan counts it once. */
  readonly cost: Partial<Cost>;
}

/** Defines a fixture; if making it fails, the failure is stored too. */
export function fixture<T>(cost: Partial<Cost>, make: (run: Run) => Promise<T>): Fixture<T> {
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
  /** An upper bound of its requests, not counting those of its fixtures; absent ones are 0. Tests measure it. */
  readonly cost?: Partial<Cost>;
  /** Its cost on a server without a limit of changes, where a check tries all of its cases instead of a few. */
  readonly costWithoutPace?: Partial<Cost>;
  /** Its cost with a random walk of this many commands; `cost` applies to the default number. */
  readonly costOfSteps?: (steps: number) => Partial<Cost>;
  readonly fixtures?: readonly Fixture<unknown>[];
  readonly needs?: readonly Need[];
  /** How many extra agents it needs in addition to those of the pool; the steps of a run share them. */
  readonly extraAgents?: number;
  /** Whether it can also run without them. */
  readonly areExtraAgentsOptional?: boolean;
  /** A registration of the pool that few other steps need; the step is not tested without it. */
  readonly registration?: RegistrationCase;
  /** Registration attempts beyond those of the pool and the extra agents, with and without a registration limit. */
  readonly attempts?: { readonly limited: number; readonly unlimited: number };
}

/** Tests one rule of the specification; a violation is thrown. */
export interface Check extends Step {
  readonly rule: string;
  /** Only runs with this profile include the check. */
  readonly profile?: Profile;
  judge(run: Run): Promise<void>;
}

/** The behaviour of a server for which the specification has a decision. */
export interface Behaviour {
  readonly observed: string;
  /** Whether the reference server behaves the same way. */
  readonly matchesDecision: boolean;
}

/** Observes behaviour for which the specification has a decision; only strict runs judge it. */
export interface Observation extends Step {
  /** The question that a decision settles. */
  readonly question: string;
  observe(run: Run): Promise<Behaviour>;
}

/** The total cost of these steps, with random walks of this many commands; a shared fixture counts once. */
export function costOf(steps: readonly Step[], walkSteps = defaultWalkSteps, isPaced = true): Cost {
  const fixtures = new Set(steps.flatMap(({ fixtures }) => fixtures ?? []));
  const costs = steps.map(({ cost, costWithoutPace, costOfSteps }) => {
    const own = isPaced ? cost : (costWithoutPace ?? cost);
    return costOfSteps?.(walkSteps) ?? own ?? {};
  });
  return totalCost([...costs, ...[...fixtures].map(({ cost }) => cost)]);
}

/** Where a check or an observation starts: a fixture, or agents that others also use. */
export type Start<T> = Fixture<T> | ((run: Run) => Promise<T>);

/** A check whose judge receives its start; it requires the options that its cost implies. */
export function given<T>(
  start: Start<T>,
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

/** The start as a fixture, if it is one. */
export function fixturesOf<T>(start: Start<T>): readonly Fixture<T>[] {
  return 'cost' in start ? [start] : [];
}

/** Starts from the agent of the pool. */
export function primaryAgent(run: Run): Promise<Agent> {
  return run.primaryAgent();
}

/** Starts from the new agent, which no later run uses. */
export function freshAgent(run: Run): Promise<Agent> {
  return run.freshAgent();
}
