import { sql } from 'kysely';
import { day, hour, minute } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { writePlatformFact } from '../platform-facts.ts';
import type { Reader, Store, Writer } from '../store.ts';

/** If a server starts this long after the newest stored time, the time is uncertain. Keep below `deletionDelayMs`. */
const aheadMaxMs = 5 * day;
const storeTimeEveryMs = 5 * minute;

/** The platform fact with the newest time that a server stored; not updated while the time is uncertain. */
const timeFact = 'server_time_ms';
const uncertainFact = 'uncertain_time';

/** The reason why nothing is deleted, and the running time of servers until deletion resumes (§9.21). */
interface Uncertainty {
  readonly cause: string;
  readonly restMs: number;
}

export function describeUncertainty({ cause, restMs }: Uncertainty): string {
  return `${cause} Nothing is deleted, backups included, until servers have run for ${(restMs / hour).toFixed(1)} h. If the clock is correct, run "operator clock confirm".`;
}

/** Returns undefined if the time of a database is certain; `now` is the database's time. */
export async function findUncertainty(store: Store, now: Date): Promise<Uncertainty | undefined> {
  if ((await store.schema()).pending.length > 0) return undefined;
  const { uncertain, storedMs } = await store.read(readFacts);
  return uncertain === null ? findLead(now, storedMs) : parse(uncertain);
}

/** Declares `now`, the database's time, to be correct. */
export async function confirmTime(writer: Writer, now: Date): Promise<void> {
  await writer.deleteFrom('platform_facts').where('name', '=', uncertainFact).execute();
  await writePlatformFact(writer, timeFact, String(now.getTime()));
}

/** Determines whether the time of a database is certain, and stores an uncertainty for all servers. */
export class UncertaintyTracker {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #countEveryMs: number;
  #hasStarted = false;
  /** An uncertainty that is not stored yet. */
  #begun: Uncertainty | undefined;
  /** The last uncertainty that was read, and the timer's value when it changed. */
  #read: { readonly text: string | null; readonly timerMs: number } = { text: null, timerMs: 0 };

  constructor(store: Store, log: Logger, countEveryMs: number) {
    this.#store = store;
    this.#log = log;
    this.#countEveryMs = countEveryMs;
  }

  get isCertain(): boolean {
    return this.#begun === undefined && this.#read.text === null;
  }

  /** The next `follow` stores the uncertainty for all servers. */
  begin(begun: Uncertainty): void {
    this.#begun = begun;
    this.#log.warn({ reason: describeUncertainty(begun) }, 'the time is uncertain: nothing is deleted');
  }

  /**
   * Reads the uncertainty that other servers or the operator have stored, and stores this server's own at `now`, the
   * database's time.
   */
  async follow(now: Date): Promise<void> {
    const { uncertain, storedMs } = await this.#store.read(readFacts);
    const lead = this.#hasStarted || uncertain !== null ? undefined : findLead(now, storedMs);
    this.#hasStarted = true;
    if (lead !== undefined) this.begin(lead);
    if (this.#begun !== undefined) {
      const text = JSON.stringify(this.#begun);
      await this.#store.transact((writer) => writePlatformFact(writer, uncertainFact, text));
      this.#read = { text, timerMs: performance.now() };
      this.#begun = undefined;
      return;
    }
    const last = this.#read;
    if (uncertain !== last.text) this.#read = { text: uncertain, timerMs: performance.now() };
    if (uncertain !== null && last.text === null)
      this.#log.warn({ reason: describeUncertainty(parse(uncertain)) }, 'the time is uncertain: nothing is deleted');
    if (uncertain === null && last.text !== null)
      this.#log.info('the time is certain again: expired content is deleted');
    if (uncertain !== null && performance.now() - this.#read.timerMs >= this.#countEveryMs)
      await this.#count(uncertain);
    if (uncertain === null && !(Math.abs(now.getTime() - storedMs) < storeTimeEveryMs))
      await this.#store.transact((writer) => writePlatformFact(writer, timeFact, String(now.getTime())));
  }

  // Only one of several servers counts down the waiting time, because the others find a changed text and start waiting
  // again. A confirmation is never overwritten.
  async #count(text: string): Promise<void> {
    const { cause, restMs } = parse(text);
    const rest = JSON.stringify({ cause, restMs: restMs - this.#countEveryMs });
    const isOver = restMs <= this.#countEveryMs;
    await this.#store.transact((writer) =>
      isOver
        ? sql`delete from platform_facts where name = ${uncertainFact} and value = ${text}`.execute(writer)
        : sql`update platform_facts set value = ${rest} where name = ${uncertainFact} and value = ${text}`.execute(
            writer,
          ),
    );
  }
}

export function makeUncertainty(what: string, milliseconds: number, side: string): Uncertainty {
  const hours = (Math.abs(milliseconds) / hour).toFixed(1);
  return { cause: `The clock of the database ${what} ${hours} h ${side}.`, restMs: day };
}

function findLead(now: Date, storedMs: number): Uncertainty | undefined {
  const aheadMs = now.getTime() - storedMs;
  if (!(aheadMs > aheadMaxMs)) return undefined;
  return makeUncertainty('is', aheadMs, 'ahead of the newest time that a server stored');
}

// Falls back to the newest time at which an agent was last seen, because earlier versions stored no time.
async function readFacts(reader: Reader): Promise<{ readonly uncertain: string | null; readonly storedMs: number }> {
  const { rows } = await sql<{ uncertain: string | null; stored: string | null }>`
    select (select value from platform_facts where name = ${uncertainFact}) as uncertain,
      coalesce((select value from platform_facts where name = ${timeFact}),
        (select (extract(epoch from max(seen_at)) * 1000)::text from agent_visits)) as stored`.execute(reader);
  return { uncertain: rows[0]?.uncertain ?? null, storedMs: Number(rows[0]?.stored ?? Number.NaN) };
}

function parse(text: string): Uncertainty {
  return JSON.parse(text) as Uncertainty;
}
