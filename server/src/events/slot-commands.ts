import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { messageOf } from '../platform/error-facts.ts';
import type { Logger } from '../platform/logger.ts';
import { newId } from '../platform/new-id.ts';
import { takeAdvisoryLock } from '../store/advisory-locks.ts';
import { safeInteger } from '../store/decode.ts';
import type { Store, Writer } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';
import { grantClaims, type SlotClaim, type SlotLimits, type UsedSlots } from './connection-slots.ts';

/** Assigns the slots of event connections, over all processes on one database. */
export interface ConnectionSlots {
  /** Takes a slot for a connection; false when none is free. */
  take(claim: SlotClaim): Promise<boolean>;
  /** Releases the slot of a connection, if it has one. */
  release(connectionId: string): void;
  close(): Promise<void>;
}

/** The slots of the only process on its database. */
export function memorySlots(limits: SlotLimits): ConnectionSlots {
  const held = new Map<string, SlotClaim>();
  return {
    take: async (claim) => {
      const own = [...held.values()].filter(({ agentId }) => agentId === claim.agentId).length;
      const used = { inAll: held.size, byAgent: new Map([[claim.agentId, own]]) };
      if (grantClaims([claim], used, limits).length === 0) return false;
      held.set(claim.id, claim);
      return true;
    },
    release: (connectionId) => void held.delete(connectionId),
    close: async () => held.clear(),
  };
}

/** The slots of a killed process are reserved no longer than this; a slow process renews four times in it. */
const leaseSeconds = 4;
const renewEveryMs = 1_000;

/** Rows of dead processes are removed after this time. */
const sweptAfterSeconds = 60;

/**
 * Slots in the database. One process at a time decides, over all its waiting
 * claims in one transaction. The clock is that of the database: the clocks of
 * processes differ, and tests move theirs.
 */
export class StoredSlots implements ConnectionSlots {
  readonly #store: Store;
  readonly #limits: SlotLimits;
  readonly #log: Logger;
  readonly #processId = newId();
  readonly #held = new Map<string, SlotClaim>();
  readonly #released = new Set<string>();
  readonly #renewing = setInterval(() => {
    if (this.#held.size > 0 || this.#released.size > 0) this.#updateSoon();
  }, renewEveryMs).unref();
  #claims: SlotClaim[] = [];
  #running: Promise<ReadonlySet<SlotClaim>> | undefined;
  /** The transaction after the running one; resolves with the granted claims. */
  #next: Promise<ReadonlySet<SlotClaim>> | undefined;
  #isClosed = false;
  #isFailing = false;
  #isRegistered = false;

  constructor(store: Store, limits: SlotLimits, log: Logger) {
    this.#store = store;
    this.#limits = limits;
    this.#log = log;
  }

  async take(claim: SlotClaim): Promise<boolean> {
    this.#claims.push(claim);
    this.#next ??= this.#runNext();
    return (await this.#next).has(claim);
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

  // A release during a transaction waits for the next claim or renewal.
  #updateSoon(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    this.#next ??= this.#runNext();
    this.#next.catch(() => undefined);
  }

  // One transaction at a time; later claims go into the next one. After `close`
  // none may begin, because the database is closed next.
  async #runNext(): Promise<ReadonlySet<SlotClaim>> {
    await this.#running?.catch(() => undefined);
    // Claims of the same turn of the event loop share a transaction.
    await setImmediate();
    this.#next = undefined;
    if (this.#isClosed) throw new StoreUnavailable('The server is shutting down.');
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  async #run(): Promise<ReadonlySet<SlotClaim>> {
    const claims = this.#claims;
    this.#claims = [];
    const released = [...this.#released];
    try {
      const granted = await this.#store.transact((writer) => this.#update(writer, claims, released));
      this.#isFailing = false;
      this.#isRegistered = true;
      for (const id of released) this.#released.delete(id);
      for (const claim of granted) this.#held.set(claim.id, claim);
      return new Set(granted);
    } catch (error) {
      // The commit may have succeeded, with only its answer lost.
      for (const { id } of claims) this.#released.add(id);
      this.#report(error);
      throw error;
    }
  }

  async #update(
    writer: Writer,
    claims: readonly SlotClaim[],
    released: readonly string[],
  ): Promise<readonly SlotClaim[]> {
    if (claims.length > 0) await takeAdvisoryLock(writer, 'eventPlaces');
    await this.#renew(writer);
    if (released.length > 0) await writer.deleteFrom('event_places').where('id', 'in', released).execute();
    if (claims.length === 0) return [];
    await sweep(writer);
    const used = await countUsed(writer, new Set(claims.map(({ agentId }) => agentId)));
    const granted = grantClaims(claims, used, this.#limits);
    await this.#insert(writer, granted);
    return granted;
  }

  // A process that missed its lease, or whose database has crashed, inserts its slots again.
  async #renew(writer: Writer): Promise<void> {
    const { rows } = await sql<{ is_new: boolean }>`
      insert into event_processes as known (id, lives_until)
      values (${this.#processId}, clock_timestamp() + make_interval(secs => ${sql.lit(leaseSeconds)}))
      on conflict (id) do update set lives_until = excluded.lives_until
      returning xmax = 0 as is_new`.execute(writer);
    if (rows[0]?.is_new !== true || !this.#isRegistered) return;
    await this.#insert(writer, [...this.#held.values()]);
  }

  async #insert(writer: Writer, claims: readonly SlotClaim[]): Promise<void> {
    if (claims.length === 0) return;
    await writer
      .insertInto('event_places')
      .values(claims.map(({ id, agentId }) => ({ id, process_id: this.#processId, agent_id: agentId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  #report(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.warn({ cause: messageOf(error) }, 'could not renew event connection slots');
  }
}

async function countUsed(writer: Writer, agentIds: ReadonlySet<string>): Promise<UsedSlots> {
  const { rows } = await sql<{ agent_id: string | null; used: string | number }>`
    with living as (select id from event_processes where lives_until > clock_timestamp())
    select null as agent_id, count(*) as used from event_places where process_id in (select id from living)
    union all
    select agent_id, count(*) from event_places
    where process_id in (select id from living) and agent_id = any(${`{${[...agentIds].join()}}`}::uuid[])
    group by agent_id`.execute(writer);
  const counts = new Map(rows.map(({ agent_id, used }) => [agent_id ?? 'all', safeInteger(used)]));
  return { inAll: counts.get('all') ?? 0, byAgent: counts };
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
