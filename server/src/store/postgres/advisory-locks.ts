import { sql } from 'kysely';
import type { Store, Writer } from '../store.ts';

/** The lock that serializes migrations of several instances until their connection closes. */
export const migrationLockId = 7_246_113_001;

// The numbers are arbitrary, but must be fixed and unique on this database.
const lockIds = { retention: 7_246_113_002, grants: 7_246_113_003, eventPlaces: 7_246_113_004 };

/** Locked while a backup copies files, so that expired files are not removed. */
export const fileRemovalLockId = 7_246_113_005;

export const restoreLockId = 7_246_113_006;

/**
 * The lock class of processes with event connections: each holds a lock with its own key until its session ends. A pair
 * of numbers never conflicts with the single numbers above.
 */
export const eventProcessLockClass = 724_611_301;

/** Waits until no other transaction on any instance has this lock, and keeps it until this transaction ends. */
export async function acquireAdvisoryLock(writer: Writer, turn: keyof typeof lockIds): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lockIds[turn])})`.execute(writer);
}

/** Runs a transaction under a named lock, so that only one with this name runs at a time on all instances. */
export async function transactUnderLock<T>(
  store: Store,
  turn: keyof typeof lockIds,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  return await store.transact(async (writer) => {
    await acquireAdvisoryLock(writer, turn);
    return await work(writer);
  });
}

/** Returns false while a backup copies files. */
export async function mayRemoveFiles(store: Store, writer: Writer): Promise<boolean> {
  if (store.processLocks.isLocked(fileRemovalLockName)) return false;
  const { rows } = await sql<{ may: boolean }>`
    select pg_try_advisory_xact_lock_shared(${sql.lit(fileRemovalLockId)}) as may`.execute(writer);
  return rows[0]?.may === true;
}

/** The name of the lock in this process that corresponds to `fileRemovalLockId`, for `Store.processLocks`. */
export const fileRemovalLockName = 'removal of files';
