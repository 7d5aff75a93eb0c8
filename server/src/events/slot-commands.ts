import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { messageOf } from '../platform/error-facts.ts';
import type { Logger } from '../platform/logger.ts';
import { newId } from '../platform/new-id.ts';
import { eventProcessLocks, takeAdvisoryLock } from '../store/advisory-locks.ts';
import { safeInteger } from '../store/decode.ts';
import type { Store, Writer } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';
import type { PostgresSession } from '../wake-ups/postgres-session.ts';
import * as slots from './connection-slots.ts';

/** Assigns the slots of event connections, over all processes on one database. */
export interface ConnectionSlots {
  /** Takes a slot for a connection, unless a limit is reached. */
  take(claim: slots.SlotClaim): Promise<slots.ExceededLimit>;
  /** Releases the slot of a connection, if it has one. */
  release(connectionId: string): void;
  close(): Promise<void>;
}

/** The slots of the only process on its database. */
export function memorySlots(limits: slots.SlotLimits): ConnectionSlots {
  const held = new Map<string, slots.SlotClaim>();
  return {
    take: async (claim) => {
      const [exceeded] = slots.decideClaims([claim], slots.countSlots(held.values()), limits);
      if (exceeded === undefined) held.set(claim.id, claim);
      return exceeded;
    },
    release: (connectionId) => void held.delete(connectionId),
    close: async () => held.clear(),
  };
}

/**
 * The slots of a silent process are reserved no longer than this: its machine has
 * vanished, or it hangs. A slow process renews four times in it.
 */
const leaseSeconds = 4;
const renewEveryMs = 1_000;

/** Rows of dead processes are removed after this time. */
const sweptAfterSeconds = 60;

/**
 * When a claim is decided again that only slots of other processes stand against.
 * The database notices the end of a process, and another process releases a slot,
 * after the agent knows: an agent under its limits must not be refused meanwhile.
 */
const decidedAgainAfterMs = [50, 150, 300, 500];

/**
 * Slots in the database. One process at a time decides, over all its waiting
 * claims in one transaction. The slots of a process count while its session
 * holds the advisory lock of the process, which the database releases when the
 * process ends. The clock is that of the database: the clocks of processes
 * differ, and tests move theirs.
 */
export class StoredSlots implements ConnectionSlots {
  readonly #store: Store;
  readonly #limits: slots.SlotLimits;
  readonly #log: Logger;
  readonly #processId = newId();
  readonly #held = new Map<string, slots.SlotClaim>();
  readonly #released = new Set<string>();
  readonly #renewing = setInterval(() => {
    if (this.#held.size > 0 || this.#released.size > 0) this.#updateSoon();
  }, renewEveryMs).unref();
  /** The advisory lock of the session; undefined while it is not held. */
  #lockKey: number | undefined;
  #claims: slots.SlotClaim[] = [];
  #running: Promise<Decisions> | undefined;
  /** The transaction after the running one. */
  #next: Promise<Decisions> | undefined;
  #isClosed = false;
  #isFailing = false;
  #isRegistered = false;

  constructor(store: Store, limits: slots.SlotLimits, log: Logger, session: PostgresSession) {
    this.#store = store;
    this.#limits = limits;
    this.#log = log;
    session.add({
      opened: async (client) => {
        // A new key each time: the database may not have noticed the end of the last connection.
        const key = randomInt(1, 2 ** 31);
        const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as held', [eventProcessLocks, key]);
        this.#lockChanged(rows[0]?.held === true ? key : undefined);
      },
      ended: () => this.#lockChanged(undefined),
    });
  }

  async take(claim: slots.SlotClaim): Promise<slots.ExceededLimit> {
    for (const waitMs of decidedAgainAfterMs) {
      const exceeded = await this.#decide(claim);
      if (exceeded === undefined || this.#isFullHere(claim)) return exceeded;
      await wait(waitMs, undefined, { ref: false });
    }
    return await this.#decide(claim);
  }

  async #decide(claim: slots.SlotClaim): Promise<slots.ExceededLimit> {
    this.#claims.push(claim);
    this.#next ??= this.#runNext();
    return (await this.#next).get(claim);
  }

  #isFullHere(claim: slots.SlotClaim): boolean {
    const used = slots.countSlots(this.#held.values());
    return slots.decideClaims([claim], used, this.#limits)[0] !== undefined;
  }

  #lockChanged(key: number | undefined): void {
    this.#lockKey = key;
    if (this.#isRegistered) this.#updateSoon();
  }

  release(connectionId: string): void {
    if (!this.#held.delete(connectionId)) return;
    this.#released.add(connectionId);
    this.#updateSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#renewing);
    await this.#running?.catch(() => undefined);
    if (!this.#isRegistered) return;
    await this.#store
      .transact((writer) => removeProcesses(writer, [this.#processId]))
      .catch((error) => this.#report(error));
  }

  // A release during a transaction follows at its end, unless the database is unavailable.
  #updateSoon(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    this.#next ??= this.#runNext();
    this.#next.catch(() => undefined);
  }

  // One transaction at a time; later claims go into the next one. After `close`
  // none may begin, because the database is closed next.
  async #runNext(): Promise<Decisions> {
    await this.#running?.catch(() => undefined);
    // Claims of the same turn of the event loop share a transaction.
    await setImmediate();
    this.#next = undefined;
    if (this.#isClosed) throw new StoreUnavailable('The server is shutting down.');
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    const decisions = await this.#running;
    if (this.#released.size > 0) this.#updateSoon();
    return decisions;
  }

  async #run(): Promise<Decisions> {
    const claims = this.#claims;
    this.#claims = [];
    const released = [...this.#released];
    try {
      const decisions = await this.#store.transact((writer) => this.#update(writer, claims, released));
      this.#isFailing = false;
      this.#isRegistered = true;
      for (const id of released) this.#released.delete(id);
      for (const [claim, exceeded] of decisions) if (exceeded === undefined) this.#held.set(claim.id, claim);
      return decisions;
    } catch (error) {
      // The commit may have succeeded, with only its answer lost.
      for (const { id } of claims) this.#released.add(id);
      this.#report(error);
      throw error;
    }
  }

  async #update(writer: Writer, claims: readonly slots.SlotClaim[], released: readonly string[]): Promise<Decisions> {
    if (claims.length > 0) await takeAdvisoryLock(writer, 'eventPlaces');
    await this.#renew(writer);
    if (released.length > 0) await writer.deleteFrom('event_places').where('id', 'in', released).execute();
    if (claims.length === 0) return new Map();
    await sweep(writer);
    const used = await countUsed(writer, this.#processId, claims);
    const exceeded = slots.decideClaims(claims, used, this.#limits);
    const granted = claims.filter((_, index) => exceeded[index] === undefined);
    await this.#insert(writer, granted);
    return new Map(claims.map((claim, index) => [claim, exceeded[index]]));
  }

  // A process that missed its lease, or whose database has crashed, inserts its slots again.
  async #renew(writer: Writer): Promise<void> {
    const { rows } = await sql<{ is_new: boolean }>`
      insert into event_processes as known (id, lives_until, lock_key)
      values (
        ${this.#processId}, clock_timestamp() + make_interval(secs => ${sql.lit(leaseSeconds)}),
        (select key from (${heldLocks}) as held where key = ${this.#lockKey ?? null})
      )
      on conflict (id) do update set lives_until = excluded.lives_until, lock_key = excluded.lock_key
      returning xmax = 0 as is_new`.execute(writer);
    if (rows[0]?.is_new !== true || !this.#isRegistered) return;
    await this.#insert(writer, [...this.#held.values()]);
  }

  async #insert(writer: Writer, claims: readonly slots.SlotClaim[]): Promise<void> {
    if (claims.length === 0) return;
    await writer
      .insertInto('event_places')
      .values(
        claims.map(({ id, agentId, address }) => ({ id, process_id: this.#processId, agent_id: agentId, address })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  #report(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.warn({ cause: messageOf(error) }, 'could not renew event connection slots');
  }
}

/** The decision about each claim. */
type Decisions = ReadonlyMap<slots.SlotClaim, slots.ExceededLimit>;

/** The locks of processes whose session lives; of other databases of the server none. */
const heldLocks = sql<{ key: number }>`
  select objid::bigint as key from pg_locks
  where locktype = 'advisory' and classid = ${sql.lit(eventProcessLocks)} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`;

// A process without a lock has no session at the moment, or is of an earlier version: its lease alone counts.
async function countUsed(
  writer: Writer,
  processId: string,
  claims: readonly slots.SlotClaim[],
): Promise<slots.UsedSlots> {
  const agentIds = [...new Set(claims.map(({ agentId }) => agentId))];
  const addresses = [...new Set(claims.map(({ address }) => address))];
  const { rows } = await sql<{ scope: 'all' | 'agent' | 'address'; name: string; used: string | number }>`
    with living as materialized (
      select id from event_processes
      where id = ${processId}
        or lives_until > clock_timestamp() and (lock_key is null or lock_key in (${heldLocks}))
    ), used as not materialized (
      select agent_id, address from event_places where process_id in (select id from living)
    )
    select 'all' as scope, '' as name, count(*) as used from used
    union all
    select 'agent', agent_id::text, count(*) from used where agent_id = any(${agentIds}::uuid[]) group by agent_id
    union all
    select 'address', address, count(*) from used where address = any(${addresses}::text[]) group by address`.execute(
    writer,
  );
  const countsOf = (scope: string) =>
    new Map(rows.filter((row) => row.scope === scope).map(({ name, used }) => [name, safeInteger(used)]));
  return { inAll: countsOf('all').get('') ?? 0, byAgent: countsOf('agent'), byAddress: countsOf('address') };
}

async function sweep(writer: Writer): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from event_processes
    where lives_until < clock_timestamp() - make_interval(secs => ${sql.lit(sweptAfterSeconds)})`.execute(writer);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await removeProcesses(writer, ids);
}

async function removeProcesses(writer: Writer, ids: readonly string[]): Promise<void> {
  await writer.deleteFrom('event_places').where('process_id', 'in', ids).execute();
  await writer.deleteFrom('event_processes').where('id', 'in', ids).execute();
}
