import type { Behaviour, Observation } from '../context/check.ts';
import { codeOf } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';
import type { Run } from '../context/run.ts';

/** An observation of one requirement. */
export function observation(
  id: string,
  requirement: string,
  question: string,
  observe: (run: Run) => Promise<Behaviour>,
): Observation {
  return { id: `choice.${id}`, covers: [requirement], question, observe };
}

/** Observes status and code of one answer; `decided` is what the reference server answers. */
export function answerTo(
  id: string,
  requirement: string,
  question: string,
  decided: string,
  request: (run: Run) => Promise<Exchange>,
): Observation {
  return observation(id, requirement, question, async (run) => compareAnswer(await request(run), decided));
}

/** Adds the same cost, fixtures or needs to several observations. */
export function withCommon(
  common: Partial<Pick<Observation, 'cost' | 'fixtures' | 'needs'>>,
  observations: readonly Observation[],
): readonly Observation[] {
  return observations.map((one) => ({ ...one, ...common }));
}

/** Compares status and code of an answer with a decision, for example `404 not_found`. */
export function compareAnswer(answer: Exchange, decided: string): Behaviour {
  const observed = describeAnswer(answer);
  return { observed, matchesDecision: observed === decided };
}

/** Status and code of an answer. */
export function describeAnswer(answer: Exchange): string {
  return [answer.status, codeOf(answer)].join(' ').trim();
}

/** Compares member names with a decision, in any order. */
export function compareNames(names: readonly string[], decided: readonly string[]): Behaviour {
  return { observed: names.join(', '), matchesDecision: names.toSorted().join() === decided.toSorted().join() };
}

/** Combines several behaviours into one. */
export function combine(parts: Readonly<Record<string, Behaviour>>): Behaviour {
  const all = Object.entries(parts);
  return {
    observed: all.map(([name, { observed }]) => `${name}: ${observed}`).join('; '),
    matchesDecision: all.every(([, { matchesDecision }]) => matchesDecision),
  };
}
