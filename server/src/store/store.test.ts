import { freshDatabase } from '@agent-platform/testing';
import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openEmbeddedStore } from '../../testing/embedded-store.ts';
import { newId } from '../platform/crypto.ts';
import { formatTimestamp, timestampToMs, toSafeInteger } from './decode.ts';
import { openPgliteStore, openPostgresStore } from './open-store.ts';
import { type Orm, preparePgliteOrm, preparePostgresOrm } from './orm.ts';
import { prepareSqlText, runPreparedStatement } from './statements/prepared.ts';
import type { Store } from './store.ts';
import { StoreUnavailableError } from './unavailable.ts';

function kept<T extends { close(): Promise<void> }>(resource: T): T {
  onTestFinished(() => resource.close());
  return resource;
}

const kinds = [
  ['PGlite', openEmbeddedStore],
  ['PostgreSQL 18', async () => await openPostgresStore(await freshDatabase(inject('postgresUrl')), () => undefined)],
  ['PostgreSQL 15', async () => await openPostgresStore(await freshDatabase(inject('postgres15Url')), () => undefined)],
] as const;

async function addBot(store: Store, handle: string): Promise<string> {
  const id = newId();
  const at = new Date('2026-11-21T09:03:24.250Z');
  const texts = {
    specialty: '',
    bio: '',
    character_description: '',
    encryption_public_key: 'k',
    encryption_key_fingerprint: id,
  };
  const bot = { id, handle, display_name: handle, ...texts, profile_public: false, is_demo: false, suspended_at: null };
  await store.transact((writer) =>
    writer
      .insertInto('bots')
      .values({ ...bot, created_at: at, updated_at: at })
      .execute(),
  );
  return id;
}

const countBots = (store: Store) =>
  store.read((reader) => reader.selectFrom('bots').select('id').execute()).then((rows) => rows.length);

describe.each(kinds)('a store on %s', (name, openStore) => {
  it('is migrated once, and then has nothing pending', async () => {
    const store = kept(await (name === 'PGlite' ? openPgliteStore() : openStore()));
    const { pending } = await store.schema();

    expect(pending).not.toEqual([]);
    expect(await store.migrate()).toEqual(pending);
    expect(await store.schema()).toEqual({ pending: [], unknown: [], migratedBy: null, damage: null });
    expect(await store.migrate()).toEqual([]);
  });

  it('keeps what a transaction wrote, unless it threw', async () => {
    const store = kept(await openStore());
    await store.migrate();
    await addBot(store, 'alice');
    const failing = store.transact(async (writer) => {
      await writer.deleteFrom('bots').execute();
      throw new Error('rolled back');
    });

    await expect(failing).rejects.toThrow('rolled back');
    expect(await countBots(store)).toBe(1);
  });

  it('closes after the work that opened its first connection, and refuses new work', async () => {
    const store = await openStore();
    const reading = store.read((reader) => sql<{ one: number }>`select 1 as one`.execute(reader));
    await store.close();

    expect((await reading).rows).toEqual([{ one: 1 }]);
    await expect(countBots(store)).rejects.toThrow(StoreUnavailableError);
  });

  it('returns timestamps as UTC with milliseconds', async () => {
    const store = kept(await openStore());
    await store.migrate();
    await addBot(store, 'alice');
    const row = await store.read((reader) => reader.selectFrom('bots').select('created_at').executeTakeFirstOrThrow());

    expect(formatTimestamp(row.created_at)).toBe('2026-11-21T09:03:24.250Z');
    expect(timestampToMs(row.created_at)).toBe(Date.parse('2026-11-21T09:03:24.250Z'));
  });

  it('has constraints that refuse what the rules refuse', async () => {
    const store = kept(await openStore());
    await store.migrate();
    await addBot(store, 'alice');

    await expect(addBot(store, 'alice')).rejects.toThrow(/bots_handle_unique/);
    await expect(addBot(store, 'Not A Handle')).rejects.toThrow(/bots_handle_form/);
  });
});

// Foreign keys between features are deliberately defined only in the migrations.
const foreignKey = /^alter table "\w+" drop constraint "\w+_foreign";$/;

async function findDrift(orm: Orm): Promise<readonly string[]> {
  const statements = await orm.schema.getUpdateSchemaSQL({ wrap: false });
  return statements.split('\n').filter((statement) => statement !== '' && !foreignKey.test(statement));
}

describe('the schema of the migrations', () => {
  it.each([
    ['PGlite', async () => (await preparePgliteOrm(undefined)).orm],
    [
      'PostgreSQL 18',
      async () => (await preparePostgresOrm(await freshDatabase(inject('postgresUrl')), () => undefined)).orm,
    ],
    [
      'PostgreSQL 15',
      async () => (await preparePostgresOrm(await freshDatabase(inject('postgres15Url')), () => undefined)).orm,
    ],
  ])('is the one that the tables describe, on %s', async (_name, prepare) => {
    const orm = kept(await prepare());
    await orm.migrator.up();

    expect(await findDrift(orm)).toEqual([]);
    await orm.em.execute('alter table bots drop constraint bots_bio_length, add column extra int');
    expect((await findDrift(orm)).join()).toMatch(/bots_bio_length/);
    expect((await findDrift(orm)).join()).toMatch(/extra/);
  });
});

it('uses 16 MiB for the buffers of an embedded database', async () => {
  const store = kept(await openEmbeddedStore());
  const setting = sql<{ shared_buffers: string }>`show shared_buffers`;

  expect((await store.read((reader) => setting.execute(reader))).rows).toEqual([{ shared_buffers: '16MB' }]);
});

describe('a store on PostgreSQL', () => {
  it('opens no more connections than allowed', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const store = kept(await openPostgresStore(url, () => undefined, { connectionsMax: 3 }));
    const counted = await Promise.all(
      Array.from({ length: 12 }, () =>
        store.read((reader) =>
          sql<{ count: number }>`
            select count(*)::int as count, pg_sleep(0.01) from pg_stat_activity
            where datname = current_database()`.execute(reader),
        ),
      ),
    );

    expect(Math.max(...counted.map(({ rows }) => rows[0]?.count ?? 0))).toBe(3);
  });

  it('migrates once when ten instances start at the same moment', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const stores = await Promise.all(Array.from({ length: 10 }, () => openPostgresStore(url, () => undefined)));
    stores.forEach(kept);
    const applied = await Promise.all(stores.map((store) => store.migrate()));

    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
  });

  it('repeats a transaction that the database ended because of a deadlock', async () => {
    const store = kept(await openPostgresStore(await freshDatabase(inject('postgresUrl')), () => undefined));
    await store.migrate();
    const [one, other] = [await addBot(store, 'alice'), await addBot(store, 'bob_')];
    let attempts = 0;
    let holding = 0;
    // Each transaction locks its first row and waits for the row of the other. PostgreSQL must end one of them, and
    // possibly also its repeat.
    const bothHoldOne = Promise.withResolvers<void>();
    const lockInOrder = (first: string, second: string) =>
      store.transact(async (writer) => {
        attempts += 1;
        await writer.updateTable('bots').set({ bio: 'x' }).where('id', '=', first).execute();
        holding += 1;
        if (holding >= 2) bothHoldOne.resolve();
        await bothHoldOne.promise;
        await writer.updateTable('bots').set({ bio: 'x' }).where('id', '=', second).execute();
      });
    await Promise.all([lockInOrder(one, other), lockInOrder(other, one)]);

    expect(attempts).toBeGreaterThan(2);
  });

  it('fails on a database that cannot be reached, with the reason', async () => {
    const store = kept(await openPostgresStore('postgres://nobody@127.0.0.1:1/none', () => undefined));

    await expect(countBots(store)).rejects.toThrow(StoreUnavailableError);
    await expect(store.ping(1_000)).rejects.toThrow(StoreUnavailableError);
  });

  it('requires TLS if the address does, and fails without it', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const store = kept(await openPostgresStore(`${url}?sslmode=require`, () => undefined));

    await expect(countBots(store)).rejects.toMatchObject({ cause: { message: expect.stringContaining('SSL') } });
  });

  it('uses UTC even if the address has options', async () => {
    const url = `${await freshDatabase(inject('postgresUrl'))}?options=${encodeURIComponent('-c work_mem=5MB')}`;
    const store = kept(await openPostgresStore(url, () => undefined));
    const { rows } = await store.read((reader) =>
      sql`select current_setting('timezone') as zone, current_setting('work_mem') as memory`.execute(reader),
    );

    expect(rows).toEqual([{ zone: 'UTC', memory: '5MB' }]);
  });

  it('keeps the plan of a prepared statement by its name, also inside a transaction', async () => {
    const store = kept(await openPostgresStore(await freshDatabase(inject('postgresUrl')), () => undefined));
    const doubled = prepareSqlText<{ doubled: number }>('doubled', 'select $1::int * 2 as doubled');
    const { first, again, known } = await store.transact(async (writer) => ({
      first: await runPreparedStatement(writer, doubled, [21]),
      again: await runPreparedStatement(writer, doubled, [4]),
      known: (await sql<{ name: string }>`select name from pg_prepared_statements`.execute(writer)).rows,
    }));

    expect([first, again]).toEqual([[{ doubled: 42 }], [{ doubled: 8 }]]);
    expect(known).toEqual([{ name: 'doubled' }]);
  });

  it('ends a statement that takes too long, and continues', async () => {
    const store = kept(await openPostgresStore(await freshDatabase(inject('postgresUrl')), () => undefined));
    await store.migrate();
    const slow = store.read(async (reader) => await sql`select pg_sleep(30)`.execute(reader));

    await expect(slow).rejects.toThrow(StoreUnavailableError);
    expect(await countBots(store)).toBe(0);
  });

  it('survives the end of all its connections', async () => {
    const store = kept(await openPostgresStore(await freshDatabase(inject('postgresUrl')), () => undefined));
    await store.migrate();
    await Promise.all(Array.from({ length: 20 }, () => countBots(store)));
    await store
      .read((reader) =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()`.execute(reader),
      )
      .catch(() => undefined);

    await expect.poll(() => countBots(store).catch(() => 'unavailable')).toBe(0);
  });

  it('reports the settings that weaken commits', async () => {
    const url = new URL(await freshDatabase(inject('postgresUrl')));
    const store = kept(await openPostgresStore(url.href, () => undefined));

    // The server of the tests runs without fsync, which must be reported.
    expect(await store.weakSettings()).toContain('fsync = off');
  });
});

describe('decoding', () => {
  it.each([
    ['2026-11-21 09:03:24+00', '2026-11-21T09:03:24.000Z'],
    ['2026-11-21 09:03:24.2+00', '2026-11-21T09:03:24.200Z'],
    ['2026-11-21 09:03:24.123456+00', '2026-11-21T09:03:24.123Z'],
  ])('reads %s', (stored, shown) => {
    expect(formatTimestamp(stored)).toBe(shown);
  });

  it.each(['2026-11-21 09:03:24.2+01', 'infinity', ''])('refuses the timestamp %j', (stored) => {
    expect(() => formatTimestamp(stored)).toThrow();
  });

  it('refuses numbers that a number cannot represent', () => {
    expect(toSafeInteger('9007199254740991')).toBe(9_007_199_254_740_991);
    expect(() => toSafeInteger('9007199254740993')).toThrow();
  });
});
