import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import { type InferKyselyDB, MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import { migrations } from './migrations/index.ts';
import { nameOfPrepared } from './prepared.ts';
import { tables } from './tables/all-tables.ts';

/** Seconds are too coarse here: all of these are milliseconds. */
export const databaseTimeouts = {
  /** To get a connection from the pool, or a new one from the server. */
  connectMs: 4_000,
  /** For one statement, told to the server and watched by the driver as well. */
  statementMs: 5_000,
  /** For one whole `read` or `transact`, repeats included. */
  workMs: 8_000,
};

const poolSize = 10;

const shared = {
  entities: [...tables],
  extensions: [Migrator],
  // The ORM is asked for its query builder alone; the metadata of entities is enough for that.
  discovery: { warnWhenNoEntities: false },
  forceUndefined: false,
  migrations: {
    tableName: 'migrations',
    migrationsList: migrations,
    snapshot: false,
    transactional: true,
    allOrNothing: true,
    silent: true,
    disableForeignKeys: false,
  },
  // References between features are foreign keys of the migrations and not relations of the
  // entities, so the schema comparison is told to leave foreign keys alone.
  schemaGenerator: { createForeignKeyConstraints: false, disableForeignKeys: false },
  logger: () => undefined,
};

/** Runs named statements past the query builder, over the same connections. */
export interface NamedStatements {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
  /** Told by the driver once the connections are being closed. */
  readonly ending: boolean;
  end(): Promise<void>;
}

interface DriverPool extends NamedStatements {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: DriverClient) => void): unknown;
}

interface DriverClient {
  query(statement: unknown, ...rest: readonly unknown[]): unknown;
}

/** Prepares the ORM on a PostgreSQL server; connects on the first query. */
export async function preparePostgres(databaseUrl: string, onConnectionError: (error: Error) => void) {
  const pools: NamedStatements[] = [];
  const orm = await PostgresOrm.init({
    ...shared,
    // The ORM takes the place of the database from its address and drops the rest;
    // the driver gets all of it, so that `sslmode` and the like count.
    clientUrl: databaseUrl,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 60_000 },
    driverOptions: {
      connectionString: withUtc(databaseUrl),
      application_name: 'agent-platform',
      connectionTimeoutMillis: databaseTimeouts.connectMs,
      query_timeout: databaseTimeouts.statementMs + 500,
      statement_timeout: databaseTimeouts.statementMs,
      idle_in_transaction_session_timeout: databaseTimeouts.workMs + 2_000,
      keepAlive: true,
      onPoolCreated: (pool: DriverPool) => {
        pool.on('error', onConnectionError);
        pool.on('connect', namePrepared);
        pools.push(pool);
      },
    },
  });
  // The driver makes its pool together with the builder, and connects only for a query.
  orm.em.getKysely();
  const [pool] = pools;
  if (pool === undefined) throw new Error('The driver of PostgreSQL made no pool.');
  return { orm, pool };
}

// The query builder hands the driver texts alone. One that was prepared goes on under
// its name, inside transactions as well, and stays planned on its connection.
function namePrepared(client: DriverClient): void {
  const query = client.query.bind(client);
  client.query = (statement, ...rest) => {
    const name = typeof statement === 'string' ? nameOfPrepared(statement) : undefined;
    return query(name === undefined ? statement : { name, text: statement }, ...rest);
  };
}

// Timestamps then always arrive as UTC text, whatever the server's own zone is.
function withUtc(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const options = url.searchParams.get('options');
  url.searchParams.set('options', `${options === null ? '' : `${options} `}-c timezone=UTC`);
  return url.href;
}

/** Prepares the ORM on an embedded PostgreSQL in `folder`, or in memory alone. */
export async function preparePglite(folder: string | undefined) {
  return await PgliteOrm.init({ ...shared, dbName: folder ?? 'memory://' });
}

/** Either ORM; both carry the same tables and the same query builder. */
export type Orm = Awaited<ReturnType<typeof preparePostgres>>['orm'] | Awaited<ReturnType<typeof preparePglite>>;

/** The tables as the query builder types them. */
export type Tables = InferKyselyDB<(typeof tables)[number]>;
