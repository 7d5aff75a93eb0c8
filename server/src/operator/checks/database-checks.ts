import { type RawBuilder, sql } from 'kysely';
import type { RegistrationMode } from '../../identity/registration/registration-mode.ts';
import { describeRepeatedKeys } from '../../identity/repeated-keys-queries.ts';
import { describeError } from '../../platform/error-facts.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { DatabaseClock, describeClockDifference, removalDifferenceMaxMs } from '../../store/clock/database-clock.ts';
import { ClockMismatchError, requireClock } from '../../store/clock/stored-clock.ts';
import { describeUncertainty, findUncertainty } from '../../store/clock/uncertain-time.ts';
import { migrations } from '../../store/migrations/index.ts';
import {
  type ConnectionLimit,
  countConnectionsPerInstance,
  countFreeConnections,
  describeConnectionLimit,
} from '../../store/postgres/connection-budget.ts';
import { readConnectionLimits } from '../../store/postgres/read-connection-limits.ts';
import type { SchemaState, Store } from '../../store/store.ts';
import { connectionHint, findDatabaseHint } from '../../store/unavailable.ts';
import type { OperatorDependencies } from '../parts.ts';
import { describeRegistration, readRegistrationStatus } from '../registration-status.ts';
import { type DoctorCheck, makeFailedCheck, makePassedCheck, makeWarningCheck } from './check.ts';
import { checkFiles } from './file-checks.ts';
import { describeTestClock, readTestClock } from './test-clock.ts';

/** The oldest PostgreSQL version with which the server is tested. */
const oldestMajor = 15;
const clockDifferenceMaxMs = 2_000;
const answerWithinMs = 4_000;

/** Checks the database and its content without changing anything. */
export async function checkDatabase(parts: OperatorDependencies): Promise<readonly DoctorCheck[]> {
  const { settings } = parts;
  try {
    const store = await parts.store.asItIs();
    if (store === undefined) {
      const hint = 'The first start of the server creates it. If it should exist, correct PLATFORM_DATA_DIR.';
      return [makeWarningCheck('database', 'The embedded database does not exist yet.', hint)];
    }
    await store.ping(answerWithinMs);
    const schema = await store.schema();
    const isCurrent = schema.damage === null && schema.pending.length + schema.unknown.length === 0;
    return [
      await checkVersion(store),
      checkMigrations(schema, settings.migrate),
      ...(await checkDurability(store)),
      ...(await checkConnections(settings)),
      await checkClock(store, parts),
      ...(isCurrent ? await checkFiles(store, settings) : []),
      ...(isCurrent ? [await checkRegistration(store, settings.registrationMode), await checkKeys(store)] : []),
    ];
  } catch (error) {
    const hint =
      settings.databaseUrl === undefined
        ? 'Fix the cause named in the message; if the folder is damaged, restore the last backup.'
        : (findDatabaseHint(error, settings.databaseUrl) ?? 'Fix the cause named in the message.');
    return [makeFailedCheck('database', `The database cannot be used: ${describeError(error)}`, hint)];
  }
}

async function checkVersion(store: Store): Promise<DoctorCheck> {
  const version = await selectText(store, sql`current_setting('server_version')`);
  if (store.kind === 'pglite')
    return makePassedCheck('database', `Embedded PostgreSQL ${version}; a power cut may lose the last changes.`);
  if (Number.parseInt(version, 10) >= oldestMajor)
    return makePassedCheck('database', `PostgreSQL ${version} responds.`);
  return makeFailedCheck('database', `PostgreSQL ${version} is too old.`, `Use PostgreSQL ${oldestMajor} or later.`);
}

function checkMigrations({ damage, pending, unknown }: SchemaState, mode: 'on-start' | 'manual'): DoctorCheck {
  if (damage !== null) return makeFailedCheck('schema', damage, 'The server does not start with it.');
  if (unknown.length > 0) {
    const text = `A later version has changed the schema: it applied ${unknown.join(', ')}.`;
    return makeFailedCheck('schema', text, 'Start the later version; this one refuses to start.');
  }
  if (pending.length === 0) return makePassedCheck('schema', `All ${migrations.length} migration(s) are applied.`);
  const text = `Pending migrations: ${pending.join(', ')}.`;
  return mode === 'on-start'
    ? makeWarningCheck('schema', text, 'The next start of the server applies them.')
    : makeFailedCheck('schema', text, 'Run "operator migrate".');
}

async function checkDurability(store: Store): Promise<readonly DoctorCheck[]> {
  const weak = await store.weakSettings();
  if (weak.length === 0) return [];
  const hint = 'Enable these settings in the PostgreSQL configuration and reload it.';
  return [makeWarningCheck('durability', `The database may lose commits in a crash: ${weak.join(', ')}.`, hint)];
}

// Assumes that each instance, including the running ones, uses as many connections as these settings allow.
async function checkConnections(settings: Settings): Promise<readonly DoctorCheck[]> {
  const limits = await readConnectionLimits(settings);
  const perInstance = countConnectionsPerInstance(settings);
  const free = (limit: ConnectionLimit) => countFreeConnections(limit, perInstance);
  const [least] = limits.toSorted((one, other) => free(one) - free(other));
  if (least === undefined) return [];
  const text = `A server uses up to ${perInstance} connections; ${describeConnectionLimit(least, perInstance)}, which leaves ${Math.max(0, free(least))}.`;
  // If no instance runs, one must be able to start.
  const needed = least.instances === 0 ? perInstance : 0;
  return [
    free(least) < needed ? makeWarningCheck('connections', text, connectionHint) : makePassedCheck('connections', text),
  ];
}

async function checkClock(store: Store, { machineClock, settings }: OperatorDependencies): Promise<DoctorCheck> {
  try {
    await requireClock(store, settings.clock);
  } catch (error) {
    if (error instanceof ClockMismatchError)
      return makeFailedCheck('clock', error.message, 'A server with these settings does not start.');
    throw error;
  }
  const clock = new DatabaseClock(store, machineClock);
  const differenceMs = await clock.compare();
  const uncertainty = await findUncertainty(store, clock.withoutOffset());
  if (uncertainty !== undefined)
    return makeWarningCheck(
      'clock',
      describeUncertainty(uncertainty),
      'Compare the clock of the database with a time server.',
    );
  if (Math.abs(differenceMs) <= clockDifferenceMaxMs)
    return makePassedCheck('clock', `The clocks of this machine and the database agree${await describeOffset(store)}.`);
  const consequence =
    Math.abs(differenceMs) > removalDifferenceMaxMs
      ? 'Expired content is not removed.'
      : 'At a difference of 5 s or more, expired content is not removed.';
  const hint = 'Synchronize both machines with a time server. A server whose clock is off by a minute does not start.';
  return makeWarningCheck('clock', `${describeClockDifference(differenceMs)} ${consequence}`, hint);
}

async function describeOffset(store: Store): Promise<string> {
  const testClock = await readTestClock(store);
  return testClock === null ? '' : `; the server has ${describeTestClock(testClock)}`;
}

async function checkRegistration(store: Store, setting: RegistrationMode): Promise<DoctorCheck> {
  return makePassedCheck(
    'registration',
    `Registration is ${describeRegistration(await readRegistrationStatus(store, setting))}.`,
  );
}

async function checkKeys(store: Store): Promise<DoctorCheck> {
  const repeated = await store.read(describeRepeatedKeys);
  if (repeated === undefined) return makePassedCheck('keys', 'Each agent has its own key.');
  const hint = 'Their key fingerprints are identical. Ask their owners, and suspend the agents that copied a key.';
  return makeWarningCheck('keys', repeated, hint);
}

async function selectText(store: Store, expression: RawBuilder<unknown>): Promise<string> {
  const { rows } = await store.read((reader) =>
    sql<{ value: string }>`select (${expression})::text as value`.execute(reader),
  );
  return rows[0]?.value ?? 'unknown';
}
