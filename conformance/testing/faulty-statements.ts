import type { Store } from '@agent-platform/server';
import { type FaultyBuild, withStore } from './faulty-build.ts';

type Ask = Store['ask'];
type Values = Readonly<Record<string, unknown>>;
type Row = Values | undefined;

/** What becomes of a statement: `values` by the names of its parameters; `send` asks the database. */
export type StatementFault = (values: Values, send: (values: Values) => Promise<Row>) => Promise<Row>;

/** A build whose statements of these names send other values than it means to, or read another row than there is. */
export function withStatements(faults: Readonly<Record<string, StatementFault>>): FaultyBuild {
  return withStore(
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
        // The row is what the database gave, or what a fault made of it.
        return (await fault(Object.fromEntries(parameters.map((key, index) => [key, values[index]])), send)) as
          | R
          | undefined;
      },
  );
}
