import { sql } from 'kysely';
import { migrations } from '../../store/migrations/index.ts';
import type { Store } from '../../store/store.ts';
import { reasonOf } from '../failure.ts';
import type { OperatorParts } from '../parts.ts';
import { describeRegistration, readRegistration } from '../registration-in-force.ts';
import { type Check, fail, ok, warn } from './check.ts';

/** The oldest PostgreSQL that the server is tried with. */
const oldestMajor = 15;
const clockDifferenceMaxMs = 2_000;
const answerWithinMs = 4_000;

/** Names of migrations that the database lacks. Looks only: a database without any table stays so. */
export async function findPendingMigrations(store: Store): Promise<readonly string[]> {
  return await store.read(async (reader) => {
    const { rows } = await sql<{ found: boolean }>`select to_regclass('migrations') is not null as found`.execute(
      reader,
    );
    const done =
      rows[0]?.found === true ? (await sql<{ name: string }>`select name from migrations`.execute(reader)).rows : [];
    const known = new Set(done.map(({ name }) => name));
    return migrations.map(({ name }) => name).filter((name) => !known.has(name));
  });
}

/** Looks at the database and at what is stored in it, and changes nothing. */
export async function checkDatabase(parts: OperatorParts): Promise<readonly Check[]> {
  const { settings } = parts;
  const cure =
    settings.databaseUrl === undefined
      ? 'Read the message; if the folder is damaged, restore the last backup.'
      : 'Check that PostgreSQL runs, that DATABASE_URL points to it, and that user and password are correct.';
  try {
    const store = await parts.store.asItIs();
    if (store === undefined) {
      return [
        warn(
          'database',
          'The embedded database does not exist yet.',
          'The first start of the server creates it. If it should exist, correct PLATFORM_DATA_DIR.',
        ),
      ];
    }
    await store.ping(answerWithinMs);
    return [
      await checkVersion(store),
      await checkMigrations(store, settings.migrate),
      ...(await checkWeakSettings(store)),
      await checkClock(store, parts),
      await checkRegistration(store, parts),
    ].filter((check) => check !== undefined);
  } catch (error) {
    return [fail('database', `The database cannot be used:  ${reasonOf(error)}`, cure)];
  }
}

async function checkVersion(store: Store): Promise<Check> {
  const { rows } = await store.read((reader) =>
    sql<{ version: string }>`select current_setting('server_version') as version`.execute(reader),
  );
  const version = rows[0]?.version ?? 'unknown';
  if (store.kind === 'pglite') {
    return ok('database', `Embedded PostgreSQL ${version}; a power cut may lose the last changes.`);
  }
  if (Number.parseInt(version, 10) >= oldestMajor) return ok('database', `PostgreSQL ${version} answers.`);
  return fail('database', `PostgreSQL ${version} is too old.`, `Use PostgreSQL ${oldestMajor} or later.`);
}

async function checkMigrations(store: Store, mode: 'on-start' | 'manual'): Promise<Check> {
  const pending = await findPendingMigrations(store);
  if (pending.length === 0) return ok('schema', `All ${migrations.length} migration(s) are applied.`);
  const text = `Pending migrations: ${pending.join(', ')}.`;
  return mode === 'on-start'
    ? warn('schema', text, 'The next start of the server applies them.')
    : fail('schema', text, 'Start the server once with PLATFORM_MIGRATE=on-start.');
}

async function checkWeakSettings(store: Store): Promise<readonly Check[]> {
  const weak = await store.weakSettings();
  if (weak.length === 0) return [];
  return [
    warn(
      'durability',
      `The database may lose commits in a crash: ${weak.join(', ')}.`,
      'Enable these settings in the PostgreSQL configuration and reload it.',
    ),
  ];
}

async function checkClock(store: Store, parts: OperatorParts): Promise<Check> {
  const before = parts.clock().getTime();
  const { rows } = await store.read((reader) =>
    sql<{ now: string }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now`.execute(reader),
  );
  const after = parts.clock().getTime();
  // The database read its clock somewhere between the two readings of ours.
  const now = Number(rows[0]?.now);
  const differenceMs = now < before ? before - now : Math.max(0, now - after);
  if (differenceMs <= clockDifferenceMaxMs) return ok('clock', 'The clocks of this machine and the database agree.');
  return warn(
    'clock',
    `The clocks of this machine and the database differ by ${Math.round(differenceMs / 1_000)} s.`,
    'Synchronize both machines with a time server: tokens, invitations and limits expire by the clock.',
  );
}

async function checkRegistration(store: Store, parts: OperatorParts): Promise<Check | undefined> {
  if ((await findPendingMigrations(store)).length > 0) return undefined;
  const registration = await readRegistration(store, parts.settings.registrationMode);
  return ok('registration', `Registration is ${describeRegistration(registration)}.`);
}
