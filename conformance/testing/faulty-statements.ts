import type { Store } from '@agent-platform/server';
import { type FaultyBuild, withStore } from './faulty-build.ts';

type Transact = Store['transact'];
type Writer = Parameters<Parameters<Transact>[0]>[0];

/** A statement on its way to the database, with the values in the order of its text. */
interface PassingStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** What becomes of the statements of a transaction; `send` asks the database. */
export type StatementFault = (
  statement: PassingStatement,
  send: (values: readonly unknown[]) => Promise<Rows>,
) => Promise<Rows>;

/** A build whose transactions send other values than it means to, or read other rows than there are. */
export function withStatements(openFault: () => StatementFault): FaultyBuild {
  return withStore(
    'transact',
    (clean): Transact =>
      (work) => {
        // Anew for each transaction: what one of them does is no matter to the next.
        const fault = openFault();
        return clean.transact((writer) => work(wrap(writer, fault)));
      },
  );
}

function wrap(writer: Writer, fault: StatementFault): Writer {
  const executeQuery: Writer['executeQuery'] = async <R>(...[query]: Parameters<Writer['executeQuery']>) => {
    const compiled = 'compile' in query ? query.compile() : query;
    const send = async (values: readonly unknown[]) =>
      (await writer.executeQuery<Readonly<Record<string, unknown>>>({ ...compiled, parameters: values })).rows;
    const rows = await fault({ text: compiled.sql, values: compiled.parameters }, send);
    // Rows are what the database gave, or what a fault made of them.
    return { rows: [...rows] as R[] };
  };
  return new Proxy(writer, {
    get: (target, name) => {
      if (name === 'executeQuery') return executeQuery;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
