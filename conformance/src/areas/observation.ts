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

/** Adds the shared start, cost, needs and fixtures to observations. */
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

/** The starting state of observations that need no preparation: the run. */
export async function startFromRun(run: Run): Promise<Run> {
  return run;
}

/** Compares the status and code of an answer with those of a decision, for example `404 not_found`. */
export async function compareAnswer(answer: Exchange | Promise<Exchange>, decided: string): Promise<ObservedBehaviour> {
  const observed = describeAnswer(await answer);
  return { observed, matchesDecision: observed === decided };
}

/** Describes the status and code of an answer. */
export function describeAnswer(answer: Exchange): string {
  return [answer.status, errorCodeOf(answer)].join(' ').trim();
}

/** Compares the member names of an object with those of a decision, in any order. */
export function compareMemberNames(value: object, decided: readonly string[]): ObservedBehaviour {
  const names = Object.keys(value);
  return { observed: names.join(', '), matchesDecision: names.toSorted().join() === decided.toSorted().join() };
}

/** Compares the member names of an object with a decision: all names of the decision must be among them. */
export function compareRequiredMembers(value: object, decided: readonly string[]): ObservedBehaviour {
  return { observed: Object.keys(value).join(', '), matchesDecision: decided.every((name) => name in value) };
}

/** Combines several behaviours into one. */
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
