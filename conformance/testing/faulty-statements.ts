import type { Store } from '@agent-platform/server';
import { type FaultyBuild, withFaultyStore } from './faulty-build.ts';

type Ask = Store['ask'];
type Values = Readonly<Record<string, unknown>>;
type Row = Values | undefined;

/** Replaces the execution of a statement; `values` are by parameter name, and `send` executes the statement. */
export type StatementFault = (values: Values, send: (values: Values) => Promise<Row>) => Promise<Row>;

/** Makes a build in which the statements with these names get changed values or return changed rows. */
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
        // The cast is safe: the row is that of the database, or one changed by the fault.
        return (await fault(Object.fromEntries(parameters.map((key, index) => [key, values[index]])), send)) as
          | R
          | undefined;
      },
  );
}
