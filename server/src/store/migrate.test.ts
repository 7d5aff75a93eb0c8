import { setTimeout as wait } from 'node:timers/promises';
import { freshDatabase } from '@agent-platform/testing';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { Migration } from '@mikro-orm/migrations';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openPostgresBulkSession } from './bulk-session.ts';
import { applyMigrations, migratePostgres, NewerSchemaError, readSchemaState } from './migrate.ts';
import { ConcurrentIndexMigration } from './migrations/concurrent-index.ts';
import { migrations } from './migrations/index.ts';
import { openPostgresStore } from './open-store.ts';
import { preparePgliteOrm, preparePostgresMigrations, sessionSettings } from './orm.ts';
import { databaseTimeouts, type MigrationProgress, type Store } from './store.ts';
import { ensureSchema } from './store-setup.ts';

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(url, () => undefined);
  onTestFinished(() => store.close());
  return store;
}

class RewriteTable extends Migration {
  override up(): void {
    this.addSql('alter table ledger_entries add column note text');
  }
}

class AddTable extends Migration {
  override up(): void {
    this.addSql('create table notes (id int primary key)');
  }
}

const later = [...migrations, { name: '0002-rewrite', class: RewriteTable }, { name: '0003-table', class: AddTable }];

async function migrateLater(url: string, onReport: (progress: MigrationProgress) => void) {
  const reports: MigrationProgress[] = [];
  const report = (progress: MigrationProgress) => {
    reports.push(progress);
    onReport(progress);
  };
  return { applied: await migratePostgres(url, report, later), reports };
}

class AddIndex extends ConcurrentIndexMigration {
  override up(): void {
    this.addIndex('bots_by_bio_index', 'bots (bio)');
  }
}

const withIndex = [...migrations, { name: '9999-index', class: AddIndex }];

const findIndex = `select indisvalid as valid from pg_index where indexrelid = to_regclass('bots_by_bio_index')`;

describe('migrations on PostgreSQL', () => {
  it('may take longer than any limit of the server; a second process waits for them and reports it', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const store = await open(url);
    await store.migrate();
    // Makes the first migration of the later version wait for the lock of this table.
    const busy = await connect(url);
    // A statement timeout of the database must not end a migration either.
    await busy.query(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '1s'`);
    await busy.query('begin; lock table ledger_entries');
    const waits = Promise.withResolvers<void>();
    const onReport = ({ state }: MigrationProgress) => {
      if (state === 'waiting') waits.resolve();
    };
    const migrating = Promise.all([migrateLater(url, onReport), migrateLater(url, onReport)]);
    await Promise.all([waits.promise, wait(databaseTimeouts.statementMs + 1_500)]);
    await busy.query('commit');
    const [first, second] = await migrating;

    expect(await store.read((reader) => readSchemaState(reader, later))).toMatchObject({ pending: [], unknown: [] });
    const [done, waited] = first.applied.length > 0 ? [first, second] : [second, first];
    expect(done.applied).toEqual(['0002-rewrite', '0003-table']);
    expect(done.reports).toContainEqual({
      state: 'finished',
      migration: done.applied[0],
      position: '1 of 2',
      seconds: expect.any(Number),
    });
    expect(waited.applied).toEqual([]);
    expect(new Set(waited.reports.map(({ state }) => state))).toEqual(new Set(['waiting']));
  });

  it('are not limited by the driver either', async () => {
    const url = new URL(await freshDatabase(inject('postgresUrl')));
    url.searchParams.set('query_timeout', '100');
    const { client, close } = await preparePostgresMigrations(url.href);
    onTestFinished(close);

    await client.query('select pg_sleep(0.3)');
  });

  it('are refused by a version that has fewer of them, in a message with both versions', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const store = await open(url);
    await store.migrate();
    const client = await connect(url);
    await client.query(`insert into migrations (name) values ('9998-later'), ('9999-latest')`);
    await client.query(`update platform_facts set value = '7.8.9' where name = 'version'`);
    const refusal = await store.migrate().catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(NewerSchemaError);
    expect(String(refusal)).toMatch(/version 0\.1\.0.*version 7\.8\.9.*9999-latest.*Start version 7\.8\.9/);
    expect(await store.schema()).toEqual({
      pending: [],
      unknown: ['9998-later', '9999-latest'],
      migratedBy: '7.8.9',
      damage: null,
    });
  });
});

describe('a damaged database', () => {
  it.each([
    ['drop table rate_windows, text_usage', /lacks tables that .*: rate_windows, text_usage\. Restore a backup/],
    ['drop table migrations', /table migrations has no rows, but these tables exist: bots, .*Restore a backup/],
  ])('is refused by name after %s', async (change, message) => {
    const { environment, drop } = await copyTemplateDatabase();
    onTestFinished(drop);
    const store = await open(environment.DATABASE_URL ?? '');
    await store.read((reader) => sql.raw(change).execute(reader));

    await expect(store.migrate()).rejects.toThrow(message);
    await expect(ensureSchema(store, 'manual', () => undefined)).rejects.toThrow(message);
  });

  it.each([
    "delete from migrations where name = '0002-rewrite'",
    "update migrations set name = '0002-x' where name = '0002-rewrite'",
  ])('of a later version is refused by that version after %s', async (change) => {
    const url = await freshDatabase(inject('postgresUrl'));
    await migratePostgres(url, () => undefined, later);
    await (await connect(url)).query(change);

    await expect(migratePostgres(url, () => undefined, later)).rejects.toThrow(
      'The table migrations lacks 0002-rewrite, though 0003-table is applied.',
    );
  });

  it.each(['LATIN1', 'SQL_ASCII'])('with the encoding %s is refused, and stays empty', async (encoding) => {
    const client = await connect(inject('postgresUrl'));
    const name = `test_${encoding.toLowerCase()}_${process.pid}`;
    await client.query(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
    onTestFinished(async () => void (await client.query(`drop database ${name} with (force)`)));
    const store = await open(Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href);

    await expect(store.migrate()).rejects.toThrow(`the encoding ${encoding}, which cannot store every text`);
    expect((await store.schema()).pending).toHaveLength(migrations.length);
  });
});

// The names that the last commit with 26 migrations recorded; its tables equal those of the baseline.
const formerNames = `identity posts attachments events contacts ledger messages orders file-retention one-way-to-walk
  event-sessions event-addresses platform-facts text-usage retention-indexes operator-acts moderation visits-and-erasures
  counted-places orders-of-operations rare-grams unlisted-agents event-storage sent-hashes file-checks one-key-one-agent`
  .split(/\s+/)
  .map((name, index) => `${String(index + 1).padStart(4, '0')}-${name}`);
const migrationNames = sql<{ names: string[] }>`select array_agg(name order by id) as names from migrations`;
const writeNames = (names: readonly string[]) =>
  sql`with former as (delete from migrations) insert into migrations (name) select unnest(${names}::text[])`;

describe('a database with the migrations from before the baseline', () => {
  it.each(['on-start', 'manual'] as const)('is adopted when it has all of them: %s', async (mode) => {
    const { environment, drop } = await copyTemplateDatabase();
    onTestFinished(drop);
    const store = await open(environment.DATABASE_URL ?? '');
    await store.read((reader) => writeNames(formerNames).execute(reader));
    expect(await store.schema()).toMatchObject({ pending: ['0001-baseline'], unknown: [], damage: null });
    if (mode === 'manual') await expect(ensureSchema(store, mode, () => undefined)).rejects.toThrow('operator migrate');

    expect(await store.migrate()).toEqual(['0001-baseline']);
    expect((await store.read((reader) => migrationNames.execute(reader))).rows).toEqual([{ names: ['0001-baseline'] }]);
    expect(await store.migrate()).toEqual([]);
  });

  it.each([25, 1])(
    'is refused with the commit that upgrades it, and unchanged, when it has %i of them',
    async (count) => {
      const { environment, drop } = await copyTemplateDatabase();
      onTestFinished(drop);
      const store = await open(environment.DATABASE_URL ?? '');
      const names = formerNames.slice(0, count);
      await store.read((reader) => writeNames(names).execute(reader));

      await expect(store.migrate()).rejects.toThrow(/start commit [0-9a-f]{8} with it once, which upgrades it/);
      expect((await store.read((reader) => migrationNames.execute(reader))).rows).toEqual([{ names }]);
    },
  );
});

describe('the sessions of a server', () => {
  it('return the same text for a value, whatever the settings of the database are', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const name = new URL(url).pathname.slice(1);
    const others = {
      bytea_output: 'escape',
      client_encoding: 'LATIN1',
      datestyle: 'German',
      extra_float_digits: '-10',
      intervalstyle: 'iso_8601',
      standard_conforming_strings: 'off',
      timezone: 'Asia/Tokyo',
    };
    const client = await connect(url);
    for (const [setting, value] of Object.entries(others))
      await client.query(`alter database ${name} set ${setting} = '${value}'`);
    const pooled = await openPostgresStore(url, () => undefined, { pooling: 'session' });
    const bulk = await openPostgresBulkSession(url);
    for (const store of [pooled, bulk]) onTestFinished(store.close);
    const names = Object.keys(others);
    const text = `select json_object_agg(lower(name), setting) as found from pg_settings
      where lower(name) in ('${names.join("','")}')`;
    const ofStores = [await open(url), pooled].map(
      async (store) => (await store.read((reader) => sql.raw(text).execute(reader))).rows,
    );

    const found = Object.fromEntries(Object.entries(sessionSettings).filter(([setting]) => names.includes(setting)));
    expect(await Promise.all([...ofStores, bulk.query(text)])).toEqual([[{ found }], [{ found }], [{ found }]]);
    expect(Object.keys(found)).toHaveLength(names.length);
  });
});

describe('an index that a migration builds concurrently', () => {
  it('allows writes during the build on PostgreSQL, and replaces one whose build was interrupted', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    await (await open(url)).migrate();
    const { orm, close } = await preparePostgresMigrations(url);
    onTestFinished(close);
    const [busy, other] = [await connect(url), await connect(url)];
    await busy.query('begin; lock table bots in row exclusive mode');
    const building = applyMigrations(orm, () => undefined, { known: withIndex });
    const isBuilding = `
      select 1 from pg_locks where relation = 'bots'::regclass and mode = 'ShareUpdateExclusiveLock' and granted`;
    await expect.poll(async () => (await other.query(isBuilding)).rowCount).toBe(1);
    // A writer needs this lock, which an ordinary index build would block.
    await other.query('begin; lock table bots in row exclusive mode nowait; commit');
    await busy.query('commit');
    await building;
    expect((await other.query(findIndex)).rows).toEqual([{ valid: true }]);

    await other.query(`update pg_index set indisvalid = false where indexrelid = 'bots_by_bio_index'::regclass`);
    await other.query(`delete from migrations where name = '9999-index'`);
    await applyMigrations(orm, () => undefined, { known: withIndex });
    expect((await other.query(findIndex)).rows).toEqual([{ valid: true }]);
  });

  it('is built on PGlite', async () => {
    const { orm } = await preparePgliteOrm(undefined);
    onTestFinished(() => orm.close());
    await applyMigrations(orm, () => undefined, { known: withIndex });

    expect(await orm.em.execute(findIndex)).toEqual([{ valid: true }]);
  });
});
