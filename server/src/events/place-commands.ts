import { sql } from 'kysely';
import type { Logger } from '../platform/logger.ts';
import { newId } from '../platform/new-id.ts';
import { takeAdvisoryLock } from '../store/advisory-locks.ts';
import { safeInteger } from '../store/decode.ts';
import type { Store, Writer } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';
import { admitClaims, type Claim, type PlaceLimits, type TakenPlaces } from './places.ts';

/** Hands out the places of event connections, over all processes on one database. */
export interface Places {
  /** Takes a place for a connection; false when none is left. */
  take(claim: Claim): Promise<boolean>;
  /** Gives the place of a connection back, if it has one. */
  give(connectionId: string): void;
  close(): Promise<void>;
}

/** Places of a process that is alone on its database. */
export function memoryPlaces(limits: PlaceLimits): Places {
  const held = new Map<string, string>();
  return {
    take: async (claim) => {
      const own = [...held.values()].filter((agentId) => agentId === claim.agentId).length;
      const taken = { inAll: held.size, byAgent: new Map([[claim.agentId, own]]) };
      if (admitClaims([claim], taken, limits).length === 0) return false;
      held.set(claim.id, claim.agentId);
      return true;
    },
    give: (connectionId) => {
      held.delete(connectionId);
    },
    close: async () => held.clear(),
  };
}

/** A process that was killed holds its places for no longer; one that is slow renews four times in it. */
const livesForSeconds = 4;
const renewEveryMs = 1_000;

/** Rows of processes that have been silent for so long are removed. */
const sweptAfterSeconds = 60;

interface Waiter {
  readonly claim: Claim;
  resolve(isTaken: boolean): void;
  reject(error: unknown): void;
}

/**
 * Places in the database. Claims are decided one process at a time, all that
 * wait in one transaction. Time is that of the database: clocks of processes
 * differ, and tests move theirs.
 */
export function storedPlaces(store: Store, limits: PlaceLimits, log: Logger): Places {
  const processId = newId();
  const held = new Map<string, string>();
  const given = new Set<string>();
  let waiting: Waiter[] = [];
  let isWorking = false;
  let isClosed = false;
  let isReported = false;
  let isRegistered = false;
  let working: Promise<void> = Promise.resolve();

  const renewing = setInterval(() => {
    if (held.size > 0 || given.size > 0) start();
  }, renewEveryMs).unref();

  // One transaction at a time: who comes meanwhile goes into the next one.
  function start(): void {
    // Whoever closed the places closes the database next: nothing may begin in between.
    if (isWorking || isClosed) return;
    isWorking = true;
    working = work().finally(() => {
      isWorking = false;
      if (waiting.length > 0 && !isClosed) setImmediate(start);
    });
  }

  async function work(): Promise<void> {
    const claims = waiting;
    waiting = [];
    const leaving = [...given];
    try {
      const admitted = await store.transact((writer) => settle(writer, claims, leaving));
      isReported = false;
      isRegistered = true;
      for (const id of leaving) given.delete(id);
      for (const { claim, resolve } of claims) {
        const isTaken = admitted.has(claim.id);
        if (isTaken) held.set(claim.id, claim.agentId);
        resolve(isTaken);
      }
    } catch (error) {
      for (const { claim, reject } of claims) {
        // Its commit may have succeeded all the same, with only the answer lost.
        given.add(claim.id);
        reject(error);
      }
      report(error);
    }
  }

  async function settle(
    writer: Writer,
    claims: readonly Waiter[],
    leaving: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (claims.length > 0) await takeAdvisoryLock(writer, 'eventPlaces');
    await renew(writer);
    if (leaving.length > 0)
      await writer
        .deleteFrom('event_places')
        .where('id', 'in', [...leaving])
        .execute();
    if (claims.length === 0) return new Set();
    await sweep(writer);
    const admitted = admitClaims(
      claims.map(({ claim }) => claim),
      await countTaken(writer, new Set(claims.map(({ claim }) => claim.agentId))),
      limits,
    );
    await insertPlaces(
      writer,
      admitted.map(({ id, agentId }) => [id, agentId]),
    );
    return new Set(admitted.map(({ id }) => id));
  }

  // A process that was taken for dead, or whose database has crashed, puts its places back.
  async function renew(writer: Writer): Promise<void> {
    const { rows } = await sql<{ is_new: boolean }>`
      insert into event_processes as known (id, lives_until)
      values (${processId}, ${livesUntil})
      on conflict (id) do update set lives_until = excluded.lives_until
      returning xmax = 0 as is_new`.execute(writer);
    if (rows[0]?.is_new === true && isRegistered) await insertPlaces(writer, [...held]);
  }

  async function insertPlaces(writer: Writer, places: readonly (readonly [string, string])[]): Promise<void> {
    if (places.length === 0) return;
    await writer
      .insertInto('event_places')
      .values(places.map(([id, agentId]) => ({ id, process_id: processId, agent_id: agentId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  function report(error: unknown): void {
    if (isReported) return;
    isReported = true;
    log.warn(
      { cause: error instanceof Error ? error.message : String(error) },
      'could not renew event connection slots',
    );
  }

  return {
    take: (claim) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw stopping();
        waiting.push({ claim, resolve, reject });
        // What arrives in the same turn goes into the same transaction.
        setImmediate(start);
      }),
    give: (connectionId) => {
      if (!held.delete(connectionId)) return;
      given.add(connectionId);
      setImmediate(start);
    },
    close: async () => {
      isClosed = true;
      clearInterval(renewing);
      await working;
      for (const { reject } of waiting) reject(stopping());
      if (!isRegistered) return;
      await store.transact((writer) => removeProcesses(writer, [processId])).catch(report);
    },
  };
}

function stopping(): StoreUnavailable {
  return new StoreUnavailable('The server stops.');
}

const livesUntil = sql<Date>`clock_timestamp() + make_interval(secs => ${sql.lit(livesForSeconds)})`;
const isAlive = sql<boolean>`lives_until > clock_timestamp()`;

async function countTaken(writer: Writer, agentIds: ReadonlySet<string>): Promise<TakenPlaces> {
  const living = writer
    .selectFrom('event_places')
    .innerJoin('event_processes', 'event_processes.id', 'event_places.process_id')
    .where(isAlive);
  const { taken } = await living
    .select(({ fn }) => fn.countAll<string | number>().as('taken'))
    .executeTakeFirstOrThrow();
  const own = await living
    .where('agent_id', 'in', [...agentIds])
    .groupBy('agent_id')
    .select(({ fn }) => ['agent_id', fn.countAll<string | number>().as('taken')])
    .execute();
  return {
    inAll: safeInteger(taken),
    byAgent: new Map(own.map((row) => [row.agent_id, safeInteger(row.taken)])),
  };
}

async function sweep(writer: Writer): Promise<void> {
  const silent = await writer
    .selectFrom('event_processes')
    .where(sql<boolean>`lives_until < clock_timestamp() - make_interval(secs => ${sql.lit(sweptAfterSeconds)})`)
    .select('id')
    .execute();
  await removeProcesses(
    writer,
    silent.map(({ id }) => id),
  );
}

async function removeProcesses(writer: Writer, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await writer
    .deleteFrom('event_places')
    .where('process_id', 'in', [...ids])
    .execute();
  await writer
    .deleteFrom('event_processes')
    .where('id', 'in', [...ids])
    .execute();
}
