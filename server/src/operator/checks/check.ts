import Type from 'typebox';
import { toVisible } from '../layout.ts';
import { Closed, nullable } from '../schemas.ts';

/** One thing that was looked at: how it is, and how to mend it when it is not well. */
export const Check = Closed({
  name: Type.String(),
  state: Type.Enum(['ok', 'warn', 'fail']),
  text: Type.String(),
  cure: nullable(Type.String()),
});
export type Check = Type.Static<typeof Check>;

/** All is well here. */
export function ok(name: string, text: string): Check {
  return { name, state: 'ok', text, cure: null };
}

/** It works, and something about it should be known or better. */
export function warn(name: string, text: string, cure: string): Check {
  return { name, state: 'warn', text, cure };
}

/** It does not work. */
export function fail(name: string, text: string, cure: string): Check {
  return { name, state: 'fail', text, cure };
}

/** Checks for people: one line each, the cure below it. */
export function describeChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, text, cure }) => [
      `${state.padEnd(4)}  ${name.padEnd(width)}  ${toVisible(text)}`,
      ...(cure === null ? [] : [`${' '.repeat(6)}${' '.repeat(width)}  → ${toVisible(cure)}`]),
    ])
    .join('\n');
}
