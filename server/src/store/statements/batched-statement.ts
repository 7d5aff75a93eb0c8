import type { BatchedStatement } from '../store.ts';
import { objectWriter, type Parameters, type ParameterType, placeholdersOf, typedText } from './parameters.ts';
import { prepareText } from './prepared.ts';

/**
 * Prepares a query that `Store.ask` and `Store.askAll` run: up to `rowsMax` rows for a call. `write` gets how a
 * parameter is written, by its name, and returns the text; both forms of the statement are made of it, so they cannot
 * differ.
 */
export function prepareBatched<Row, Name extends string>(
  name: string,
  types: Parameters<Name>,
  write: (parameter: (name: Name) => string) => string,
  rowsMax = 1,
): BatchedStatement<Row> {
  const parameters = Object.keys(types) as Name[];
  const placeholders = placeholdersOf(types);
  const alone = write((parameter) => String(placeholders[parameters.indexOf(parameter)]));
  // The limit keeps each call a separate step, by index, however large or small the tables were at planning; the
  // rows of a step keep their order.
  const together = `
    select calls.call_number::integer, answer.*
    from (${callsText(types)}) calls
    cross join lateral (select * from (${write((parameter) => `calls.${parameter}`)}) as one limit ${rowsMax}) as answer`;
  return {
    name,
    parameters,
    toJson: objectWriter(types),
    rowsMax,
    whenAbsent: 'nothing',
    alone: prepareText(name, alone),
    together: prepareText(`${name}-batch`, together),
  };
}

/**
 * Prepares a statement that writes, for `Store.ask`. `alone` has the parameters `$1`, `$2` and so on, or is made of a
 * query of the one call. `together` gets a query of the calls, with a column for each parameter and `call_number`; it
 * writes for as many of them as it can without waiting for a lock, in one order that is the same everywhere,
 * and returns the `call_number` of each. The others run alone.
 */
export function prepareBatchedWrite<Row, Name extends string>(
  name: string,
  types: Parameters<Name>,
  { alone, together }: { readonly alone: string | WriteText; readonly together: WriteText },
): BatchedStatement<Row> {
  return {
    name,
    parameters: Object.keys(types),
    toJson: objectWriter(types),
    rowsMax: 1,
    whenAbsent: 'run alone',
    alone: prepareText(name, typeof alone === 'string' ? alone : alone(callText(types))),
    together: prepareText(`${name}-batch`, together(callsText(types))),
  };
}

/** Makes the text of a statement from a query of its calls. */
type WriteText = (calls: string) => string;

function callText<Name extends string>(types: Parameters<Name>): string {
  const names = Object.keys(types);
  return `select ${placeholdersOf(types)
    .map((value, index) => `${value} as ${names[index]}`)
    .join(', ')}, 1 as call_number`;
}

// JSON, because the planner estimates the same number of its elements each time: for an array it would
// find a plan for this very length better than the general one, and plan each execution anew.
function callsText<Name extends string>(types: Parameters<Name>): string {
  const entries = Object.entries(types) as [Name, ParameterType][];
  // Calls without parameters are all the same, and so never several.
  if (entries.length === 0) return 'select 1 as call_number';
  const record = entries.map(([name, type]) => `${name} ${type === 'base64' ? 'text' : type}`).join(', ');
  const columns = entries.map(([name, type]) => `${typedText(name, type)} as ${name}`);
  return `select ${columns.join(', ')}, call_number
    from rows from (json_to_recordset($1::json) as (${record})) with ordinality
      as call (${entries.map(([name]) => name).join(', ')}, call_number)`;
}
