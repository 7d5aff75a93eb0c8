import {
  fixturesOf,
  type Observation,
  type ObservedBehaviour,
  type Run,
  type StartingState,
  type Step,
} from '../context/check.ts';
import { errorCodeOf } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';

interface StartedObservation<T> extends Step, Pick<Observation, 'question'> {
  observe(start: T, run: Run): ObservedBehaviour | Promise<ObservedBehaviour>;
}

/** Defines a question that the specification leaves open and that a decision of this project answers. */
export function openQuestion<T>(
  id: string,
  requirement: string,
  question: string,
  observe: (start: T, run: Run) => ObservedBehaviour | Promise<ObservedBehaviour>,
): StartedObservation<T> {
  return { id: `choice.${id}`, covers: [requirement], question, observe };
}

export function withStart<T>(
  start: StartingState<T>,
  { fixtures = [], ...common }: Pick<Step, 'cost' | 'fixtures' | 'needs'>,
  observations: readonly StartedObservation<T>[],
): readonly Observation[] {
  return observations.map(({ observe, ...one }) => ({
    ...one,
    ...common,
    fixtures: [...fixturesOf(start), ...fixtures],
    observe: async (run) => observe(await start(run), run),
  }));
}

/** For observations that need no preparation. */
export async function startFromRun(run: Run): Promise<Run> {
  return run;
}

/** Compares the status and code of an answer with those of a decision, for example `404 not_found`. */
export async function compareAnswer(answer: Exchange | Promise<Exchange>, decided: string): Promise<ObservedBehaviour> {
  const observed = describeAnswer(await answer);
  return { observed, matchesDecision: observed === decided };
}

export function describeAnswer(answer: Exchange): string {
  return [answer.status, errorCodeOf(answer)].join(' ').trim();
}

export function compareMemberNames(value: object, decided: readonly string[]): ObservedBehaviour {
  const names = Object.keys(value);
  return { observed: names.join(', '), matchesDecision: names.toSorted().join() === decided.toSorted().join() };
}

/** The object may have more members than the decision names. */
export function compareRequiredMembers(value: object, decided: readonly string[]): ObservedBehaviour {
  return { observed: Object.keys(value).join(', '), matchesDecision: decided.every((name) => name in value) };
}

export async function combineBehaviours(
  parts: Readonly<Record<string, ObservedBehaviour | Promise<ObservedBehaviour>>>,
): Promise<ObservedBehaviour> {
  const behaviours = await Promise.all(Object.values(parts));
  const names = Object.keys(parts);
  return {
    observed: behaviours.map(({ observed }, at) => `${names[at]}: ${observed}`).join('; '),
    matchesDecision: behaviours.every(({ matchesDecision }) => matchesDecision),
  };
}
