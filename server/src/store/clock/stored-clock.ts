import { sql } from 'kysely';
import type { Settings } from '../../platform/settings/settings.ts';
import { claimPlatformFact } from '../platform-facts.ts';
import type { Reader, Store, Writer } from '../store.ts';

/** The clock of a database and all of its servers: the system clock, or a test clock that the operator moves. */
export type ClockKind = Settings['clock'];

/** The database uses a different clock than this process. */
export class ClockMismatchError extends Error {
  override readonly name = 'ClockMismatchError';
}

/** A thousand years, so that timestamps stay far below the last year that they can express. */
export const testClockAheadMaxSeconds = 1_000 * 365 * 86_400;

const kindFact = 'clock';
const aheadFact = 'clock_ahead_seconds';

/** The database's time, with the offset of a test clock. */
export const databaseNowSql = sql<Date>`
  (now() + make_interval(secs => coalesce((select value::float8 from platform_facts where name = ${aheadFact}), 0)))`;

export interface StoredClock {
  /** Undefined until a server has started and recorded it. */
  readonly kind: ClockKind | undefined;
  /** How far a test clock is ahead of the database. */
  readonly aheadSeconds: number;
}

export async function findStoredClock(store: Store): Promise<StoredClock> {
  return await store.read(async (reader) => {
    if (!(await hasTable(reader, 'platform_facts'))) return { kind: undefined, aheadSeconds: 0 };
    const facts = await reader
      .selectFrom('platform_facts')
      .where('name', 'in', [kindFact, aheadFact])
      .select(['name', 'value'])
      .execute();
    const findValue = (name: string) => facts.find((fact) => fact.name === name)?.value;
    const kind = findValue(kindFact);
    return {
      kind: kind === 'system' || kind === 'test' ? kind : undefined,
      aheadSeconds: Number(findValue(aheadFact) ?? 0),
    };
  });
}

/** Refuses a database with another clock and, for a test clock, a used database without a recorded clock. */
export async function requireClock(store: Store, wanted: ClockKind): Promise<void> {
  const { kind, aheadSeconds } = await findStoredClock(store);
  if (kind === wanted) return;
  if (kind === 'test') {
    throw new ClockMismatchError(
      `This database has a test clock that is ${aheadSeconds} s ahead, and its timestamps use that clock. Start with PLATFORM_CLOCK=test, or choose another database with PLATFORM_DATA_DIR or DATABASE_URL.`,
    );
  }
  if (kind === 'system' || (wanted === 'test' && (await store.read(isInUse)))) {
    throw new ClockMismatchError(
      'PLATFORM_CLOCK=test needs a database that was created with it. This one was created with the system clock. Unset PLATFORM_CLOCK, or choose an empty database with PLATFORM_DATA_DIR or DATABASE_URL.',
    );
  }
}

/** Records the clock of a database permanently if none is recorded; refuses a database with a different one. */
export async function claimClock(store: Store, wanted: ClockKind): Promise<void> {
  await requireClock(store, wanted);
  const isMarked = (await findStoredClock(store)).kind !== undefined;
  if (isMarked) return;
  await store.transact((writer) => claimPlatformFact(writer, kindFact, wanted));
  await requireClock(store, wanted);
}

/** Returns the new offset of the test clock; undefined above the limit. */
export async function advanceClock(writer: Writer, seconds: number): Promise<number | undefined> {
  const { rows } = await sql<{ value: string }>`
      insert into platform_facts (name, value)
      select ${aheadFact}, ${String(seconds)}::text
      where exists (select from platform_facts where name = ${kindFact} and value = 'test')
      on conflict (name) do update set value = (platform_facts.value::bigint + excluded.value::bigint)::text
      where platform_facts.value::bigint + excluded.value::bigint <= ${testClockAheadMaxSeconds}::bigint
      returning value`.execute(writer);
  return rows[0] && Number(rows[0].value);
}

async function isInUse(reader: Reader): Promise<boolean> {
  if (!(await hasTable(reader, 'invitations'))) return false;
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from bots) or exists (select from invitations) as used`.execute(reader);
  return rows[0]?.used === true;
}

async function hasTable(reader: Reader, table: string): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`.execute(reader);
  return rows[0]?.there === true;
}
