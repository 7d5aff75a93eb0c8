import type { Store } from '@agent-platform/server';
import { type FaultyBuild, withFaultyStore } from './faulty-build.ts';

type Ask = Store['ask'];
type Values = Readonly<Record<string, unknown>>;
type Row = Values | undefined;

/** Executes a statement in a faulty way: `values` has the parameters by name, and `send` executes the statement. */
export type StatementFault = (values: Values, send: (values: Values) => Promise<Row>) => Promise<Row>;

/** Makes a build in which each function executes the statement with its name. */
export function withFaultyStatements(faults: Readonly<Record<string, StatementFault>>): FaultyBuild {
  return withFaultyStore(
    'ask',
    (clean): Ask =>
      async <R>(...[statement, values]: Parameters<Ask>) => {
        const { name, parameters } = statement;
        const fault = faults[name] ?? ((unchanged, send) => send(unchanged));
        const send = async (changed: Values) =>
          (await clean.ask(
            statement,
            parameters.map((key) => changed[key]),
          )) as Row;
        // The cast is safe: the row comes from the database, possibly with changes by the fault.
        return (await fault(Object.fromEntries(parameters.map((key, index) => [key, values[index]])), send)) as
          | R
          | undefined;
      },
  );
}
