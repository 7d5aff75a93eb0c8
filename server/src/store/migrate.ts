import { setTimeout as wait } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/core';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import { serverVersion } from '../platform/versions.ts';
import { adoptBaseline, describeBaselineUpgrade, replaceFormerMigrations } from './migrations/adopt-baseline.ts';
import { migrations } from './migrations/index.ts';
import { type Orm, preparePostgresMigrations } from './orm.ts';
import { findPlatformFact, writePlatformFact } from './platform-facts.ts';
import { migrationLockId } from './postgres/advisory-locks.ts';
import type { MigrationProgress, MigrationReporter, Reader, SchemaState } from './store.ts';
import { type Tables, tables } from './tables/all-tables.ts';

/** A later version has changed the schema, so this version would use it incorrectly. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** The database lacks something that its migrations created, or cannot store every text. */
export class DamagedSchemaError extends Error {
  override readonly name = 'DamagedSchemaError';
}

/** The name of the platform fact with the version that last applied migrations. */
const versionFact = 'version';

const tableNames = tables.map(({ meta }) => meta.tableName);

const lockEveryMs = 500;
const reportEveryMs = 10_000;

/** Does not create the table of migrations if it is missing. */
export async function readSchemaState(reader: Reader, known: typeof migrations = migrations): Promise<SchemaState> {
  return (await inspectSchema(reader, known)).state;
}

async function inspectSchema(reader: Reader, known: typeof migrations) {
  const {
    rows: [found],
  } = await sql<{ migrations: boolean; encoding: string; tables: string }>`
    select to_regclass('migrations') is not null as migrations, current_setting('server_encoding') as encoding,
      array(select name from json_array_elements_text(${JSON.stringify(tableNames)}::json) as known (name)
            where to_regclass(name) is not null)::text as tables`.execute(reader);
  const present = new Set(found?.tables.slice(1, -1).split(','));
  const applied = found?.migrations ? await readApplied(reader) : [];
  const done = new Set(replaceFormerMigrations(applied));
  const names = known.map(({ name }) => name);
  const state = {
    pending: names.filter((name) => !applied.includes(name)),
    unknown: [...done].filter((name) => !names.includes(name)),
    damage: describeBaselineUpgrade(applied) ?? describeDamage(found?.encoding, names, done, present),
  };
  const isRecorded = state.unknown.length > 0 && present.has('platform_facts');
  const migratedBy = isRecorded ? ((await findPlatformFact(reader, versionFact)) ?? null) : null;
  return { applied, state: { ...state, migratedBy } };
}

async function readApplied(reader: Reader): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by id`.execute(reader);
  return rows.map(({ name }) => name);
}

function describeDamage(
  encoding: string | undefined,
  names: readonly string[],
  done: ReadonlySet<string>,
  present: ReadonlySet<string>,
) {
  if (encoding !== 'UTF8')
    return `The database has the encoding ${encoding}, which cannot store every text. Create one with "create database … encoding 'UTF8' template template0", and name it in DATABASE_URL.`;
  const last = names.findLastIndex((name) => done.has(name));
  const skipped = names.slice(0, last + 1).filter((name) => !done.has(name));
  if (skipped.length > 0)
    return `The table migrations lacks ${skipped.join(', ')}, though ${names[last]} is applied. Add the deleted rows (insert into migrations (name) values ('${skipped[0]}')), or restore a backup.`;
  const absent = tableNames.filter((name) => !present.has(name));
  if (last === names.length - 1 && absent.length > 0)
    return `The database lacks tables that its migrations have created: ${absent.join(', ')}. Restore a backup.`;
  if (done.size === 0 && absent.length < tableNames.length)
    return `The table migrations has no rows, but these tables exist: ${[...present].join(', ')}. Restore a backup, or name an empty database.`;
  return null;
}

/** Refuses a damaged schema, and one with migrations that this version does not know. */
export function requireKnownSchema({ unknown, migratedBy, damage }: SchemaState): void {
  if (damage !== null) throw new DamagedSchemaError(damage);
  if (unknown.length === 0) return;
  const theirs = migratedBy === null ? 'a later version' : `version ${migratedBy}`;
  throw new NewerSchemaError(
    `This is version ${serverVersion}, which knows the migrations up to ${migrations.at(-1)?.name}; ${theirs} has migrated the database to ${unknown.at(-1)}. Start ${theirs}, or restore a backup from before its first start.`,
  );
}

/** Applies pending migrations on PostgreSQL, one process at a time. Returns the names of the applied migrations. */
export async function migratePostgres(
  databaseUrl: string,
  report: MigrationReporter,
  known: typeof migrations = migrations,
): Promise<readonly string[]> {
  const { orm, client, close } = await preparePostgresMigrations(databaseUrl);
  try {
    await waitForLock(client, report);
    return await applyMigrations(orm, report, { known });
  } finally {
    // The lock ends with the session.
    await close();
  }
}

// Polls the lock instead of waiting for it: a waiting statement would block an index that the other process builds
// concurrently, and the two would deadlock.
async function waitForLock(client: Client, report: MigrationReporter): Promise<void> {
  const startedMs = performance.now();
  for (let reportAtMs = startedMs; ; ) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      migrationLockId,
    ]);
    if (rows[0]?.taken === true) return;
    if (performance.now() >= reportAtMs) {
      report({ state: 'waiting', ...secondsSince(startedMs) });
      reportAtMs += reportEveryMs;
    }
    await wait(lockEveryMs);
  }
}

/** Applies pending migrations, up to `last` if given, on an ORM's connections, and records this version. */
export async function applyMigrations(
  orm: Orm,
  report: MigrationReporter,
  { last, known = migrations }: { readonly last?: string | undefined; readonly known?: typeof migrations } = {},
): Promise<readonly string[]> {
  const database: Kysely<Tables> = orm.em.fork().getKysely<Tables>();
  const { applied: before, state } = await inspectSchema(database, known);
  requireKnownSchema(state);
  if (state.pending.length === 0) return [];
  const adopted = await adoptBaseline(database, before);
  if (adopted.length === state.pending.length) return adopted;
  const { config }: MikroORM = orm;
  config.set('migrations', { ...config.get('migrations'), migrationsList: known });
  let current: Omit<MigrationProgress, 'state'> | undefined;
  let startedMs = 0;
  const reportCurrent = (step: 'running' | 'finished') => {
    if (current !== undefined) report({ state: step, ...current, ...secondsSince(startedMs) });
  };
  orm.migrator.on('migrating', ({ name }) => {
    const position = `${state.pending.indexOf(name) + 1} of ${state.pending.length}`;
    current = { migration: name, position, seconds: 0 };
    startedMs = performance.now();
  });
  orm.migrator.on('migrated', () => reportCurrent('finished'));
  const reporting = setInterval(() => reportCurrent('running'), reportEveryMs);
  try {
    const applied = await orm.migrator.up(last === undefined ? {} : { to: last });
    if (last === undefined) await writePlatformFact(database, versionFact, serverVersion);
    return applied.map(({ name }) => name);
  } finally {
    clearInterval(reporting);
  }
}

function secondsSince(startedMs: number): { readonly seconds: number } {
  return { seconds: Math.round((performance.now() - startedMs) / 100) / 10 };
}
