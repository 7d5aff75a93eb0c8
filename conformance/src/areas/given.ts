import type { Agent } from '../context/agent.ts';
import type { Check } from '../context/check.ts';
import type { Fixture } from '../context/fixture.ts';
import type { Run } from '../context/run.ts';

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
