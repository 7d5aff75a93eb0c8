import type { BatchedStatement } from '../store.ts';
import {
  castParameter,
  makeObjectWriter,
  type ParameterType,
  placeholdersOf,
  type StatementParameters,
} from './parameters.ts';
import { prepareSqlText } from './prepared.ts';

/**
 * Prepares a query for `Store.ask` and `Store.askAll`, with up to `rowsMax` rows per call. `write` returns the text
 * and receives a function that returns the SQL for a named parameter. Both forms of the statement are made with
 * `write`, so they cannot differ.
 */
export function prepareBatchedQuery<Row, Name extends string>(
  name: string,
  types: StatementParameters<Name>,
  write: (parameter: (name: Name) => string) => string,
  rowsMax = 1,
): BatchedStatement<Row> {
  const parameters = Object.keys(types) as Name[];
  const placeholders = placeholdersOf(types);
  const alone = write((parameter) => String(placeholders[parameters.indexOf(parameter)]));
  // The limit makes each call a separate step that uses an index, whatever the table sizes were at planning, and
  // preserves the order of its rows.
  const together = `
    select calls.call_number::integer, answer.*
    from (${callsText(types)}) calls
    cross join lateral (select * from (${write((parameter) => `calls.${parameter}`)}) as one limit ${rowsMax}) as answer`;
  return {
    name,
    parameters,
    toJson: makeObjectWriter(types),
    rowsMax,
    whenAbsent: 'nothing',
    alone: prepareSqlText(name, alone),
    together: prepareSqlText(`${name}-batch`, together),
  };
}

/**
 * Prepares a statement that writes, for `Store.ask`. `alone` is the SQL for a single call, with the parameters `$1`,
 * `$2` and so on, or makes it from a query for the call. `together` makes the SQL for several calls from a query that
 * returns a row for each: a column per parameter, and `call_number`. The SQL must process all calls that need not wait
 * for a lock, in the same order everywhere, and return the `call_number` of each. The other calls run separately.
 */
export function prepareBatchedWrite<Row, Name extends string>(
  name: string,
  types: StatementParameters<Name>,
  { alone, together }: { readonly alone: string | WriteText; readonly together: WriteText },
): BatchedStatement<Row> {
  return {
    name,
    parameters: Object.keys(types),
    toJson: makeObjectWriter(types),
    rowsMax: 1,
    whenAbsent: 'run alone',
    alone: prepareSqlText(name, typeof alone === 'string' ? alone : alone(callText(types))),
    together: prepareSqlText(`${name}-batch`, together(callsText(types))),
  };
}

type WriteText = (calls: string) => string;

function callText<Name extends string>(types: StatementParameters<Name>): string {
  const names = Object.keys(types);
  return `select ${placeholdersOf(types)
    .map((value, index) => `${value} as ${names[index]}`)
    .join(', ')}, 1 as call_number`;
}

// The calls are JSON, for which the planner always estimates the same number of elements. For an array, it would plan
// each execution again, because it would prefer a plan for the particular length.
function callsText<Name extends string>(types: StatementParameters<Name>): string {
  const entries = Object.entries(types) as [Name, ParameterType][];
  // Calls without parameters are identical, so there is never more than one.
  if (entries.length === 0) return 'select 1 as call_number';
  const record = entries.map(([name, type]) => `${name} ${type === 'base64' ? 'text' : type}`).join(', ');
  const columns = entries.map(([name, type]) => `${castParameter(name, type)} as ${name}`);
  return `select ${columns.join(', ')}, call_number
    from rows from (json_to_recordset($1::json) as (${record})) with ordinality
      as call (${entries.map(([name]) => name).join(', ')}, call_number)`;
}
