import type { Random } from '../world/random.ts';
import type { Check, Observation } from './check.ts';

/** The checks and observations that a run selects. */
export interface StepLists {
  readonly checks: readonly Check[];
  readonly observations: readonly Observation[];
}

/** The checks and observations of a plan in the order of the run; with `random`, shuffled where any order is right. */
export function orderSteps({ checks, observations }: StepLists, random?: Random): readonly (Check | Observation)[] {
  const isLast = ({ needs = [] }: Check) => needs.includes('clock');
  const first = checks.filter((check) => !isLast(check));
  const ordinary = first.filter(({ profile }) => profile === undefined);
  return [
    ...(random === undefined ? ordinary : shuffleChecks(ordinary, random)),
    ...observations,
    // What exhausts a limit comes after everything, or others would wait for it.
    ...first.filter(({ profile }) => profile !== undefined),
    // What moves the clock of the server comes last: nothing that another check made stays as it is.
    ...checks.filter(isLast),
  ];
}

// These end a contact, a profile, a token or an agent that others use.
const endings =
  /^(visibility\.closing|orders\.after-a-block|contacts\.(block-.*|no-way-back)|messages\.blocked|events\.(suppressed|orders-stay|rotated|revoked)|tokens\..*|files\.ended-bearer|suspension\..*)$/;

// Neighbours of one group change places: a check expects what earlier groups leave, such as profiles as they were registered.
function shuffleChecks(checks: readonly Check[], random: Random): readonly Check[] {
  const groups: Check[][] = [];
  for (const check of checks) {
    const group = groups.at(-1);
    if (group?.[0] !== undefined && groupOf(group[0]) === groupOf(check)) group.push(check);
    else groups.push([check]);
  }
  return groups.flatMap((group) => {
    const [endingOnes = [], others = []] = [true, false].map((wanted) =>
      group.filter(({ id }) => endings.test(id) === wanted),
    );
    return [...random.shuffled(others), ...endingOnes];
  });
}

const groupOf = ({ id }: Check) => id.split('.', 1)[0];
