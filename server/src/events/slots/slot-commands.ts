import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { newId } from '../../platform/crypto.ts';
import { errorMessageOf, logLevelOf } from '../../platform/error-facts.ts';
import type { Logger } from '../../platform/logger.ts';
import { acquireAdvisoryLock, eventProcessLockClass } from '../../store/postgres/advisory-locks.ts';
import type { Store, Writer } from '../../store/store.ts';
import { StoreUnavailableError } from '../../store/unavailable.ts';
import type { PostgresSession } from '../../wake-ups/postgres-session.ts';
import * as slots from './connection-slots.ts';
import { countOtherSlots, findSurvivingSlots, readOtherSlots } from './slot-queries.ts';
import { changeSlots, removeProcessStatement, renewLeaseAndSweep } from './slot-row-commands.ts';

/** Assigns the slots of event connections in all processes that use one database. */
export interface ConnectionSlots {
  /** Claims a slot, which may be reassigned from another network; returns the limit that the claim exceeds, if any. */
  take(claim: slots.LocalSlotClaim): Promise<slots.ExceededLimit>;
  release(connectionId: string): void;
  close(): Promise<void>;
}

/** Without a limit, slots are not counted. */
export const unlimitedSlots: ConnectionSlots = {
  take: async () => undefined,
  release: () => undefined,
  close: async () => undefined,
};

/** The slots of a process that does not share its database. */
export function makeMemorySlots(limits: slots.SlotLimits): ConnectionSlots {
  const current = new slots.SlotCounts<slots.LocalSlotClaim>();
  return {
    take: async (claim) => {
      const { exceeded, givenUp } = slots.decideSlotClaims([claim], current, limits, current.all());
      for (const { id } of givenUp) current.delete(id)?.giveUp();
      if (exceeded[0] === undefined) current.add(claim);
      return exceeded[0];
    },
    release: (connectionId) => void current.delete(connectionId),
    close: async () => undefined,
  };
}

const renewEveryMs = 1_000;

/**
 * Retry delays of a claim that is blocked only by slots of other processes. The database may record the end of a
 * process or the release of a slot later than the agent notices it, and an agent below its limits must not be refused
 * until then.
 */
const claimRetryDelaysMs = [50, 150, 300, 500];

/**
 * Slots stored in the database. One process at a time decides all of its waiting claims in one transaction. It counts
 * its own slots in memory. For those of other processes, it reads the total in each process's row, and the slot rows of
 * the agents and addresses in question. The slots of a process count while its session holds an advisory lock, which
 * the database releases when the process ends. Times come from the database's clock, because the clocks of processes
 * differ and tests change theirs.
 */
export class StoredSlots implements ConnectionSlots {
  readonly #store: Store;
  readonly #limits: slots.SlotLimits;
  readonly #log: Logger;
  readonly #processId = newId();
  readonly #current = new slots.SlotCounts<slots.LocalSlotClaim>();
  readonly #released = new Set<string>();
  readonly #renewing = setInterval(() => {
    this.#isDue = true;
    if (this.#current.inAll > 0 || this.#released.size > 0) this.#updateSoon();
  }, renewEveryMs).unref();
  /** True if the next transaction must renew the lease. */
  #isDue = true;
  /** The key of the session's advisory lock; undefined while the session has no lock. */
  #lockKey: number | undefined;
  #claims: slots.LocalSlotClaim[] = [];
  #running: Promise<Decisions> | undefined;
  /** The transaction that follows the running one. */
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
        // Use a new key each time, because the database may not have noticed yet that the previous connection ended.
        const key = randomInt(1, 2 ** 31);
        const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as is_locked', [
          eventProcessLockClass,
          key,
        ]);
        this.#lockChanged(rows[0]?.is_locked === true ? key : undefined);
      },
      ended: () => this.#lockChanged(undefined),
    });
  }

  async take(claim: slots.LocalSlotClaim): Promise<slots.ExceededLimit> {
    for (const waitMs of claimRetryDelaysMs) {
      const exceeded = await this.#decide(claim);
      if (exceeded === undefined || this.#isFullHere(claim)) return exceeded;
      await wait(waitMs, undefined, { ref: false });
    }
    return await this.#decide(claim);
  }

  async #decide(claim: slots.LocalSlotClaim): Promise<slots.ExceededLimit> {
    this.#claims.push(claim);
    this.#next ??= this.#runNext();
    return (await this.#next).exceeded.get(claim);
  }

  #isFullHere(claim: slots.SlotClaim): boolean {
    return slots.decideSlotClaims([claim], this.#current, this.#limits).exceeded[0] !== undefined;
  }

  #lockChanged(key: number | undefined): void {
    this.#lockKey = key;
    this.#isDue = true;
    if (this.#isRegistered) this.#updateSoon();
  }

  release(connectionId: string): void {
    if (!this.#current.delete(connectionId)) return;
    this.#released.add(connectionId);
    this.#updateSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#renewing);
    await this.#running?.catch(() => undefined);
    if (!this.#isRegistered) return;
    await this.#store
      .run(removeProcessStatement, [this.#processId, this.#processId])
      .catch((error) => this.#report(error));
  }

  // A release that arrives during a transaction is written by the next one, unless the database is unavailable.
  #updateSoon(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    this.#next ??= this.#runNext();
    this.#next.catch(() => undefined);
  }

  // Runs one transaction at a time; later claims join the next one. No transaction may start after `close`, because the
  // database is closed next.
  async #runNext(): Promise<Decisions> {
    await this.#running?.catch(() => undefined);
    // Waits, so that all claims of the same event loop turn share a transaction.
    await setImmediate();
    this.#next = undefined;
    if (this.#isClosed) throw new StoreUnavailableError('The server is shutting down.');
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    const decisions = await this.#running;
    if (this.#released.size > 0 || this.#isDue) this.#updateSoon();
    return decisions;
  }

  async #run(): Promise<Decisions> {
    const claims = this.#claims;
    this.#claims = [];
    const released = [...this.#released];
    const isDue = this.#isDue;
    this.#isDue = false;
    try {
      const decisions = await this.#store.transact(async (writer) => {
        const decided = await this.#decideAll(writer, claims);
        await this.#write(writer, decided, released, isDue);
        if (!isDue) return decided;
        return { ...decided, givenUp: [...decided.givenUp, ...(await this.#findReassignedSlots(writer, decided))] };
      });
      this.#isFailing = false;
      this.#isRegistered = true;
      for (const id of released) this.#released.delete(id);
      for (const id of decisions.givenUp) this.#current.delete(id)?.giveUp();
      // The row must be updated: it still counts connections whose slots another process reassigned.
      this.#isDue ||= decisions.givenUp.length > 0;
      for (const [claim, exceeded] of decisions.exceeded) if (exceeded === undefined) this.#current.add(claim);
      return decisions;
    } catch (error) {
      // Releases the claimed slots, because the commit may have succeeded although its response was lost.
      for (const { id } of claims) this.#released.add(id);
      this.#isDue = true;
      this.#report(error);
      throw error;
    }
  }

  async #decideAll(writer: Writer, claims: readonly slots.LocalSlotClaim[]): Promise<Decisions> {
    if (claims.length === 0) return { exceeded: new Map(), givenUp: [] };
    await acquireAdvisoryLock(writer, 'eventPlaces');
    const others = await countOtherSlots(writer, this.#processId, claims, this.#limits);
    const used = slots.addUsedSlots(this.#current, others);
    const isFull = this.#limits.inAll !== 0 && used.inAll + claims.length > this.#limits.inAll;
    const current = isFull ? [...this.#current.all(), ...(await readOtherSlots(writer, this.#processId))] : [];
    const { exceeded, givenUp } = slots.decideSlotClaims(claims, used, this.#limits, current);
    return {
      exceeded: new Map(claims.map((claim, index) => [claim, exceeded[index]])),
      givenUp: givenUp.map(({ id }) => id),
    };
  }

  // Finds slots of this process whose rows another process deleted to grant its own claims.
  async #findReassignedSlots(writer: Writer, decided: Decisions): Promise<readonly string[]> {
    if (this.#limits.inAll === 0 || this.#current.inAll === 0) return [];
    const left = await findSurvivingSlots(writer, this.#processId, this.#countPlaces(decided));
    return left === undefined ? [] : this.#current.all().flatMap(({ id }) => (left.has(id) ? [] : [id]));
  }

  #countPlaces({ exceeded, givenUp }: Decisions): number {
    const granted = [...exceeded.values()].filter((limit) => limit === undefined);
    return this.#current.inAll + granted.length - givenUp.filter((id) => this.#current.has(id)).length;
  }

  // A process whose lease expired, or whose database crashed, has no row and inserts its slots again.
  async #write(writer: Writer, decided: Decisions, released: readonly string[], isDue: boolean): Promise<void> {
    const granted = [...decided.exceeded].flatMap(([claim, exceeded]) => (exceeded === undefined ? [claim] : []));
    const places = this.#countPlaces(decided);
    const removed = [...released, ...decided.givenUp];
    const isKnown = await changeSlots(writer, this.#processId, { places, granted, released: removed });
    if (isKnown && !isDue) return;
    await renewLeaseAndSweep(writer, this.#processId, places, this.#lockKey);
    if (isKnown || this.#current.inAll === 0) return;
    await changeSlots(writer, this.#processId, { places, granted: this.#current.all(), released: [] });
  }

  #report(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log[logLevelOf(error)]({ cause: errorMessageOf(error) }, 'could not renew event connection slots');
  }
}

/** The decision on each claim, and the ids of connections to close in this process or others. */
interface Decisions {
  readonly exceeded: ReadonlyMap<slots.LocalSlotClaim, slots.ExceededLimit>;
  readonly givenUp: readonly string[];
}
