import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Tables } from './orm.ts';
import type { Reader } from './store.ts';

/**
 * A query that is built once and run often. On PostgreSQL it stays planned on
 * its connection: for the query that stands before every request that is most
 * of its cost.
 */
export interface Prepared<Row> {
  /** Unique among prepared queries; PostgreSQL knows it by this name. */
  readonly name: string;
  readonly text: string;
  readonly query: CompiledQuery<Row>;
}

// Builds text and nothing else: it has no connection.
const compiler = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Prepares a query. The values that `build` puts in are placeholders; what is
 * given to `Store.run` takes their places, in the order of the text. Name the
 * columns: a plan of `*` breaks when a migration adds one.
 */
export function prepare<Row>(
  name: string,
  build: (reader: Reader) => { compile(): CompiledQuery<Row> },
): Prepared<Row> {
  const query = build(compiler).compile();
  return { name, text: query.sql, query };
}
