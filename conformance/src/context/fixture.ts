import type { Cost } from './budget/cost.ts';
import type { Run, Session } from './run.ts';

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
