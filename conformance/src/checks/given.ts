import type { Check } from '../context/check.ts';
import type { Fixture } from '../context/fixture.ts';
import type { Run } from '../context/run.ts';

/** What a check starts from: a fixture, or agents that other checks use as well. */
type Start<T> = Fixture<T> | ((run: Run) => Promise<T>);

/** A check whose judge receives its start; it needs the options without which its own cost is impossible. */
export function given<T>(
  start: Start<T>,
  { judge, ...check }: Omit<Check, 'judge'> & { judge(start: T, run: Run): Promise<void> },
): Check {
  const { cost = {}, fixtures = [], needs = [] } = check;
  return {
    ...check,
    fixtures: isFixture(start) ? [start, ...fixtures] : fixtures,
    needs: [
      ...needs,
      ...(cost.creditsMinor ? (['credits'] as const) : []),
      ...(cost.sockets ? (['stream'] as const) : []),
    ],
    judge: async (run) => judge(await start(run), run),
  };
}

function isFixture<T>(start: Start<T>): start is Fixture<T> {
  return 'cost' in start;
}
