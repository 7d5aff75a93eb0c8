import { CompiledQuery, Kysely, PostgresDialect, type RawBuilder } from 'kysely';
import type { PreparedStatement, Writer } from '../store.ts';
import { type Tables, tables } from '../tables/all-tables.ts';

// The builder only compiles statements, so the pool never opens a connection.
const compiler = new Kysely<Tables>({
  dialect: new PostgresDialect({
    pool: () => Promise.reject(new Error('The statement compiler has no connection.')),
  }),
});

export function columnsOf<Name extends keyof Tables>(name: Name): (keyof Tables[Name])[] {
  const table = tables.find(({ meta }) => meta.tableName === name);
  return Object.keys(table?.meta.properties ?? {}) as (keyof Tables[Name])[];
}

/**
 * The values in the query are placeholders, which the values passed to `Store.run` replace in the order of the text.
 * Name the columns, because a plan of `*` breaks when a migration adds one.
 */
export function prepareSql<Row>(name: string, query: RawBuilder<Row>): PreparedStatement<Row> {
  return know(name, query.compile(compiler));
}

/** Compiles a query without parameters, for a statement that is assembled from texts. */
export function compileSqlText(query: RawBuilder<unknown>): string {
  const { sql, parameters } = query.compile(compiler);
  if (parameters.length > 0) throw new Error('This query has parameters, whose values would be lost.');
  return sql;
}

/** Prepares a statement that the builder cannot express, as text with `$1`, `$2` and so on. */
export function prepareSqlText<Row>(name: string, text: string): PreparedStatement<Row> {
  return know(name, CompiledQuery.raw(text) as CompiledQuery<Row>);
}

/** The values are in the order of the statement's text. */
export async function runPreparedStatement<Row>(
  writer: Writer,
  { query }: PreparedStatement<Row>,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { rows } = await writer.executeQuery<Row>({ ...query, parameters: values });
  return rows;
}

export function findPreparedName(text: string): string | undefined {
  return names.get(text);
}

const names = new Map<string, string>();

const changing = /\b(insert into|delete from|update \w+ set)\b/i;

function know<Row>(name: string, query: CompiledQuery<Row>): PreparedStatement<Row> {
  names.set(query.sql, name);
  return { name, text: query.sql, query, changesRows: changing.test(query.sql) };
}
