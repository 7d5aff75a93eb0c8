import type { Random } from '../world/random.ts';
import type { Agent } from './agent.ts';
import { type Cost, totalCost } from './budget/cost.ts';
import { defaultWalkSteps, type Profile } from './options.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import type { Session } from './run.ts';

/** How many of the cases of a requirement a run tests; the others wait for a later run. */
export interface Cases {
  readonly made: number;
  readonly of: number;
}

/** How a check tests its requirements. A part of what a requirement says (`isPart`) is no pass by itself. */
export interface RequirementTests {
  /** Tests a requirement, or several that say the same: a violation fails it alone, and the check goes on without a value. */
  requirement<T>(
    id: string | readonly string[],
    work: () => T | Promise<T>,
    options?: { readonly cases: Cases } | { readonly isPart: true },
  ): Promise<T | undefined>;
  /** The same, where the rest of the check builds on it: a violation fails this requirement and ends the check. */
  precondition<T>(id: string, work: () => T | Promise<T>, options?: { readonly isPart: true }): Promise<T>;
}

const untested = async <T>(_id: unknown, work: () => T | Promise<T>) => await work();

/** Tests nothing: what is thrown ends the work. */
export const unjudged: RequirementTests = { requirement: untested, precondition: untested };

/** The run as one check sees it: its verdicts and its random choices are its own, whatever runs before it. */
export interface Run extends Session, RequirementTests {
  /** The same for each check of the run. */
  readonly session: Session;
  readonly random: Random;
}

/** A run as the check or the observation of this id sees it. */
export function openStep(session: Session, id: string, tests: RequirementTests): Run {
  return { ...session, ...tests, session, random: session.randomOf(id) };
}

/** State that checks share: made once in a run, when the first check needs it. */
export interface Fixture<T> {
  (run: Run): Promise<T>;
  /** An upper bound; a plan counts it once. */
  readonly cost: Partial<Cost>;
}

/** Defines a fixture; a failure to make it is remembered as well. */
export function fixture<T>(cost: Partial<Cost>, make: (run: Run) => Promise<T>): Fixture<T> {
  const made = new WeakMap<Session, Promise<T>>();
  const get = (run: Run) => {
    const known = made.get(run.session) ?? make(run);
    made.set(run.session, known);
    return known;
  };
  return Object.assign(get, { cost });
}

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

/** What a check or an observation starts from: a fixture, or agents that others use as well. */
export type Start<T> = Fixture<T> | ((run: Run) => Promise<T>);

/** A check whose judge receives its start; it needs the options without which its own cost is impossible. */
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

/** Starts from the agent that no later run uses. */
export function freshAgent(run: Run): Promise<Agent> {
  return run.freshAgent();
}
