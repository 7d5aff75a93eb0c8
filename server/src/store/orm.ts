import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite, types as pgliteTypes } from '@electric-sql/pglite';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import {
  type DatabaseConnection,
  PGliteDialect,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely';
import { Client, DatabaseError, Pool, type PoolConfig, types } from 'pg';
import { EmbeddedSession } from './embedded/embedded-session.ts';
import { migrations } from './migrations/index.ts';
import type { Pooling } from './postgres/find-pooling.ts';
import { FrequentStatements } from './statements/frequent-statements.ts';
import type { StatementWatch } from './statements/watched-statements.ts';
import { databaseTimeouts } from './store.ts';
import { tables } from './tables/all-tables.ts';

const shared = {
  entities: tables,
  extensions: [Migrator],
  // The ORM is only used for its query builder, for which the entities' metadata suffices.
  discovery: { warnWhenNoEntities: false },
  forceUndefined: false,
  migrations: {
    tableName: 'migrations',
    migrationsList: migrations,
    snapshot: false,
    // Each migration is a separate transaction: completed ones persist if a later one fails, and an index that is built
    // without blocking writes must not be in a transaction.
    transactional: true,
    allOrNothing: false,
    silent: true,
    disableForeignKeys: false,
  },
  // References between features are foreign keys in the migrations and not entity relations, so the schema comparison
  // ignores foreign keys.
  schemaGenerator: { createForeignKeyConstraints: false, disableForeignKeys: false },
  logger: () => undefined,
};

const idleTransactionMs = databaseTimeouts.workMs + 2_000;

/** With these settings, the text of a value does not depend on server, database or user; `decode.ts` parses it. */
const textSettings = {
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  datestyle: 'ISO, MDY',
  extra_float_digits: '1',
  intervalstyle: 'postgres',
  standard_conforming_strings: 'on',
  timezone: 'UTC',
};

/** The settings that each session of the pool must have, as PostgreSQL reports them. */
export const sessionSettings = {
  ...textSettings,
  idle_in_transaction_session_timeout: `${idleTransactionMs / 1_000}s`,
  statement_timeout: `${databaseTimeouts.statementMs / 1_000}s`,
};

function setStatements(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ');
}

export interface PoolOptions {
  readonly connectionsMax?: number | undefined;
  /** The kind of pooler in front of the database, which determines how sessions get their settings. */
  readonly pooling?: Pooling['mode'];
  readonly watch?: StatementWatch | undefined;
}

/** Connects only on the first query. */
export async function preparePostgresOrm(
  databaseUrl: string,
  onConnectionError: (error: Error) => void,
  { connectionsMax = 10, pooling = 'none', watch }: PoolOptions = {},
) {
  const pool = new Pool({
    application_name: 'agent-platform',
    max: connectionsMax,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: databaseTimeouts.connectMs,
    query_timeout: databaseTimeouts.statementMs + 500,
    ...settingsOf(databaseUrl, pooling),
    keepAlive: true,
    types: { getTypeParser: keepTimestampText },
  });
  pool.on('error', onConnectionError);
  // If a connection breaks while in use, its query rejects; without a listener the process would also crash.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { orm: await initPostgres(databaseUrl, namePrepared(pool, watch)), pool };
}

// A pooler refuses settings in the first message of a connection. In transaction mode they would only apply to a
// connection that the next transaction may not get, so they are set on the role.
function settingsOf(databaseUrl: string, pooling: Pooling['mode']): PoolConfig {
  if (pooling === 'transaction') return { connectionString: databaseUrl };
  if (pooling === 'session') {
    const statements = setStatements(sessionSettings);
    return { connectionString: databaseUrl, onConnect: (client) => client.query(statements) };
  }
  return { connectionString: withSessionOptions(databaseUrl, optionsOf(sessionSettings).join(' ')) };
}

async function initPostgres(databaseUrl: string, pool: PostgresPool, schema?: string) {
  const dialect = new PostgresDialect({ pool });
  // The schema in which migrations are recorded, if it is not the default one.
  const migrations = schema === undefined ? shared.migrations : { ...shared.migrations, schema };
  return await PostgresOrm.init({ ...shared, migrations, clientUrl: databaseUrl, driverOptions: () => dialect });
}

/**
 * Opens a single connection, so that a session lock covers all of its work. It has no time limits, because a statement
 * over millions of rows takes minutes.
 */
export async function connectWithoutLimits(databaseUrl: string, name: string): Promise<Client> {
  const url = new URL(databaseUrl);
  // Removes the driver's own limit; those of the database are removed below.
  url.searchParams.delete('query_timeout');
  const client = new Client({
    connectionString: url.href,
    application_name: name,
    connectionTimeoutMillis: databaseTimeouts.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: keepTimestampText },
  });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`
    select set_config(name, '0', false) from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout',
      'idle_in_transaction_session_timeout', 'idle_session_timeout')`);
  await client.query(setStatements(textSettings));
  // Makes the database cancel the statement of a killed process, on systems that detect its end.
  await client.query(`set client_connection_check_interval = '5s'`).catch(() => undefined);
  return client;
}

export async function preparePostgresMigrations(databaseUrl: string, schema?: string) {
  const client = await connectWithoutLimits(databaseUrl, 'agent-platform migrations');
  const reserved = { query: client.query.bind(client) as PostgresPoolClient['query'], release: () => undefined };
  const pool = { options: {}, connect: async () => reserved, end: async () => undefined };
  const orm = await initPostgres(databaseUrl, pool, schema);
  const close = async () => {
    await orm.close();
    await client.end();
  };
  return { orm, client, close };
}

// Keeps the text that `decode.ts` expects, without the cost of a Date for each value.
const keepTimestampText: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === types.builtins.TIMESTAMPTZ ? (text: string) => text : types.getTypeParser(oid, format);

/**
 * Wraps the pool for Kysely, because Kysely only passes the text of a statement. Here a prepared statement gets its
 * name, so that its plan is kept even inside transactions.
 */
function namePrepared(pool: Pool, watch: StatementWatch | undefined): PostgresPool {
  const statements = new FrequentStatements();
  return {
    options: pool.options,
    connect: async () => {
      const client = await (watch === undefined ? pool.connect() : watch.connection(() => pool.connect()));
      const send = (text: string, values: readonly unknown[] = []) =>
        client.query({ name: statements.nameOf(text, values), text, values: [...values] });
      let isGivenUp = false;
      const query = (text: string, values?: readonly unknown[]): unknown => {
        const answer = watch === undefined ? send(text, values) : watch.statement(text, () => send(text, values));
        answer.catch((error: unknown) => {
          isGivenUp ||= !(error instanceof DatabaseError);
        });
        return answer;
      };
      // A statement that timed out may still be running, even a `begin`; later writes on this connection would become
      // part of its transaction.
      const release = () => client.release(isGivenUp || client.getTransactionStatus() !== 'I');
      // The cast ignores the overload for cursors, which are never used.
      return { query: query as PostgresPoolClient['query'], release };
    },
    end: () => pool.end(),
  };
}

export function withSessionOptions(databaseUrl: string, options: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', options].join(' ').trim());
  return url.href;
}

function optionsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value.replaceAll(' ', '')}`]);
}

// PostgreSQL's default of 128 MiB would cost memory and start-up time, because each page is cleared; the system's
// cache serves files that are read again.
const pgliteParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB', ...optionsOf(textSettings)];

// Timestamps are returned as text, as with PostgreSQL.
const keptAsText = { [pgliteTypes.TIMESTAMPTZ]: (text: string) => text };

export async function preparePgliteOrm(folder: string | undefined, watch?: StatementWatch) {
  const dbName = folder ?? 'memory://';
  const isNew = folder === undefined || !existsSync(join(folder, 'PG_VERSION'));
  // Unpacking the result of initdb takes less than half as long as initdb itself.
  const loadDataDir = isNew ? await (await import('@electric-sql/pglite-prepopulatedfs')).dataDir() : undefined;
  const options = { startParams: pgliteParams, parsers: keptAsText, ...(loadDataDir && { loadDataDir }) };
  const database = await PGlite.create(dbName, options).catch((error: unknown) => {
    if (error instanceof Error) throw error;
    // PGlite's file system throws objects without a message.
    const reason = JSON.stringify(error);
    throw new Error(`The files of ${dbName} cannot be used (${reason}). Check the disk and its free space.`);
  });
  const onCreateConnection = async (connection: DatabaseConnection) => {
    if (watch !== undefined) watchConnection(connection, watch);
  };
  const dialect = new PGliteDialect({ pglite: new EmbeddedSession(database), onCreateConnection });
  const orm = await PgliteOrm.init({ ...shared, dbName, driverOptions: () => dialect });
  const close = async () => {
    await orm.close();
    // The builder only closes a database that it has used, and it may have run no query.
    if (!database.closed) await database.close();
  };
  return { orm, database, close };
}

function watchConnection(connection: DatabaseConnection, watch: StatementWatch): void {
  const send = connection.executeQuery.bind(connection);
  connection.executeQuery = (query) => watch.statement(query.sql, () => send(query));
}

export type Orm =
  | Awaited<ReturnType<typeof preparePostgresOrm>>['orm']
  | Awaited<ReturnType<typeof preparePgliteOrm>>['orm'];
