import type { Check, Observation } from '../context/check.ts';
import type { Plan } from '../context/plan.ts';
import { shuffled, withSeed } from '../world/random.ts';

/** The checks and observations of a plan in the order of the run; with a seed, shuffled where any order is right. */
export function orderSteps({ checks, observations }: Plan, seed: string | undefined): readonly (Check | Observation)[] {
  const isLast = ({ needs = [] }: Check) => needs.includes('clock');
  const first = checks.filter((check) => !isLast(check));
  const ordinary = first.filter(({ profile }) => profile === undefined);
  return [
    ...(seed === undefined ? ordinary : withSeed(`${seed} order`, () => shuffleChecks(ordinary))),
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

function shuffleChecks(checks: readonly Check[]): readonly Check[] {
  const isEnding = ({ id }: Check) => endings.test(id);
  return [...shuffled(checks.filter((check) => !isEnding(check))), ...checks.filter(isEnding)];
}
