import { type Kysely, sql } from 'kysely';
import type { Pool, QueryConfig } from 'pg';
import { DeadlineExceededError, withDeadline } from '../platform/connections/deadline.ts';
import { CostlyReadLimiter, computeCostlyReadConnections } from './costly-reads.ts';
import { copyEmbeddedFolder } from './embedded/copy-folder.ts';
import { applyMigrations, migratePostgres, readSchemaState, requireKnownSchema } from './migrate.ts';
import { type Orm, type PoolOptions, preparePgliteOrm, preparePostgresOrm } from './orm.ts';
import { PageKeyCache } from './page-keys.ts';
import { ProcessLocks } from './process-locks.ts';
import { runAfterCommit } from './statements/after-commit.ts';
import { StatementBatcher } from './statements/batches.ts';
import type { StatementWatch } from './statements/watched-statements.ts';
import { databaseTimeouts, type MigrationReporter, type PreparedStatement, type Store, type Writer } from './store.ts';
import type { Tables } from './tables/all-tables.ts';
import { isRetryableError, StoreReadOnlyError, StoreUnavailableError, toStoreFailure } from './unavailable.ts';

const attemptsMax = 4;

/**
 * Opens the store on a PostgreSQL server. `onConnectionError` is called for connections that broke while idle;
 * migrations use `directUrl` if the address is that of a pooler.
 */
export async function openPostgresStore(
  databaseUrl: string,
  onConnectionError: (error: Error) => void,
  { directUrl = databaseUrl, ...options }: PoolOptions & { readonly directUrl?: string | undefined } = {},
): Promise<Store> {
  const { watch } = options;
  const { orm, pool } = await preparePostgresOrm(databaseUrl, onConnectionError, options);
  const run = async <Row>({ name, text }: PreparedStatement<Row>, values: readonly unknown[]) => {
    // A single statement needs no additional time limit, because the driver's own timeouts are shorter.
    const query = { name, text, values: [...values] };
    const { rows } = await (watch === undefined ? pool.query(query) : runWatched(pool, query, watch)).catch(rethrow);
    // The rows that the driver returned are assumed to have the query's type.
    return rows as Row[];
  };
  const migrate: Migrate = (report) => migratePostgres(directUrl, report).catch(rethrow);
  const store = makeStore('postgresql', orm, run, migrate, pool.options.max);
  const close = async () => {
    await store.close();
    // The builder only closes a pool that it has used, and it may have run no query.
    if (!pool.ending) await pool.end();
  };
  return { ...store, close };
}

/** Without a folder, the database is in memory. */
export async function openPgliteStore(folder?: string, watch?: StatementWatch): Promise<Store> {
  const { orm, close } = await preparePgliteOrm(folder, watch).catch(rethrow);
  const builder = orm.em.fork().getKysely<Tables>();
  const run = async <Row>({ query }: PreparedStatement<Row>, values: readonly unknown[]) => {
    const { rows } = await bound(() => builder.executeQuery<Row>({ ...query, parameters: values }));
    return rows;
  };
  const store = makeStore('pglite', orm, run, (report) => applyMigrations(orm, report), 1);
  const closeAll = async () => {
    await store.close();
    await close();
  };
  return { ...store, ...copying(store, folder), close: closeAll };
}

// Does the same as `pool.query`, but measures the wait for a connection separately from the statement.
async function runWatched(pool: Pool, query: { readonly text: string } & QueryConfig, watch: StatementWatch) {
  const client = await watch.connection(() => pool.connect());
  try {
    const result = await watch.statement(query.text, () => client.query(query));
    client.release();
    return result;
  } catch (error) {
    // The pool drops a connection whose statement failed, because its session may have ended.
    client.release(true);
    throw error;
  }
}

const copyingLockName = 'copying the folder';

function copying({ processLocks, read }: Store, folder: string | undefined): Pick<Store, 'checkpoint' | 'copyFolder'> {
  const query = async <Row>(text: string) => {
    const { rows } = await read((reader) => sql.raw<Row>(text).execute(reader));
    return rows;
  };
  return {
    checkpoint: async () => {
      if (processLocks.isLocked(copyingLockName)) return false;
      await query('checkpoint');
      return true;
    },
    copyFolder: async (target) => {
      if (folder === undefined) throw new Error('A database in memory has no folder.');
      const release = processLocks.lock(copyingLockName);
      await copyEmbeddedFolder(folder, target, query).finally(release);
    },
  };
}

type Migrate = (report: MigrationReporter) => Promise<readonly string[]>;

function makeStore(kind: Store['kind'], orm: Orm, run: Store['run'], migrate: Migrate, connections: number): Store {
  const builder: Kysely<Tables> = orm.em.fork().getKysely<Tables>();
  const running = new RunningWork();
  const bounded = <T>(work: (isLate: () => boolean) => Promise<T>, timeoutMs?: number) =>
    bound((isLate) => running.add(() => work(isLate)), timeoutMs);
  const runRepeating: Store['run'] = (prepared, values) =>
    repeatOnConflict(
      () => running.add(() => run(prepared, values)),
      () => false,
    );
  const batches = new StatementBatcher(runRepeating);
  return {
    kind,
    processLocks: new ProcessLocks(),
    share: new CostlyReadLimiter(computeCostlyReadConnections(connections)),
    pageKeys: new PageKeyCache(),
    read: (work) => bounded(() => work(builder)),
    run: runRepeating,
    ask: async (statement, values) => (await batches.ask(statement, values))[0],
    askAll: (statement, values) => batches.ask(statement, values),
    transact: (work) => bounded((isLate) => repeatOnConflict(() => commit(builder, work), isLate)),
    ping: async (timeoutMs) => {
      const asking = sql<{ off: boolean }>`select current_setting('transaction_read_only') = 'on' as off`;
      const { rows } = await bounded(() => asking.execute(builder), timeoutMs);
      if (rows[0]?.off === true)
        throw new StoreReadOnlyError('The database does not accept writes: it is read-only or a standby.');
    },
    schema: () => bounded(() => readSchemaState(builder)),
    migrate: async (report = () => undefined) => {
      const state = await bounded(() => readSchemaState(builder));
      requireKnownSchema(state);
      if (state.pending.length === 0) return [];
      const applied = await migrate(report);
      requireKnownSchema(await bounded(() => readSchemaState(builder)));
      return applied;
    },
    weakSettings: () => running.add(() => findWeakSettings(kind, builder)),
    checkpoint: async () => false,
    copyFolder: () => Promise.reject(new Error('Only an embedded database has a folder.')),
    close: async () => {
      await running.end();
      await orm.close();
    },
  };
}

/**
 * The running work of a store. If a query builder is closed while work runs, the connection that the work requested is
 * lost, and the pool would wait for it forever.
 */
class RunningWork {
  readonly #running = new Set<Promise<unknown>>();
  #hasEnded = false;

  async add<T>(work: () => Promise<T>): Promise<T> {
    if (this.#hasEnded) throw new StoreUnavailableError('The database is being closed.');
    const running = work();
    this.#running.add(running);
    return await running.finally(() => this.#running.delete(running));
  }

  /** Refuses new work; resolves when none is running. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled(this.#running);
  }
}

async function commit<T>(builder: Kysely<Tables>, work: (writer: Writer) => Promise<T>): Promise<T> {
  let used: Writer | undefined;
  const result = await builder.transaction().execute((writer) => {
    used = writer;
    return work(writer);
  });
  if (used !== undefined) runAfterCommit(used);
  return result;
}

async function repeatOnConflict<T>(work: () => Promise<T>, isLate: () => boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryableError(error)) throw error;
      if (attempt === attemptsMax || isLate()) {
        throw new StoreUnavailableError('The database refused the work repeatedly because of contention.', {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 5 * (0.5 + Math.random())));
    }
  }
}

// The driver's timeouts cover one statement each, and several may expire in a row on a frozen database (including the
// rollback's), so the whole transaction has a time limit, too.
async function bound<T>(work: (isLate: () => boolean) => Promise<T>, timeoutMs: number = databaseTimeouts.workMs) {
  let isLate = false;
  try {
    const working = work(() => isLate);
    return await withDeadline(timeoutMs, working, 'The database did not answer');
  } catch (error) {
    if (!(error instanceof DeadlineExceededError)) return rethrow(error);
    isLate = true;
    throw new StoreUnavailableError(error.message);
  }
}

function rethrow(error: unknown): never {
  throw toStoreFailure(error);
}

async function findWeakSettings(kind: Store['kind'], builder: Kysely<Tables>): Promise<readonly string[]> {
  if (kind === 'pglite') return [];
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
    order by name`.execute(builder);
  return rows.map((row) => `${row.name} = ${row.setting}`);
}
