import { uptime } from 'node:os';
import { sql } from 'kysely';
import { makeAvailabilityReporter } from '../../platform/availability.ts';
import { type Clock, hour, minute, type RemovalTime, second } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../store.ts';
import { findStoredClock } from './stored-clock.ts';
import { makeUncertainty, UncertaintyTracker } from './uncertain-time.ts';

/** If the clocks of machine and database differ by more, one of them is wrong, so no expired content is removed. */
export const removalDifferenceMaxMs = 5 * second;

const startDifferenceMaxMs = minute;

const compareEveryMs = 2 * second;

/** If the database's clock moves by more than this relative to the machine's uptime, the time is uncertain (§9.21). */
const moveMaxMs = hour;

/**
 * The database's time, which all processes share. Between two comparisons, it advances with a timer that clock changes
 * do not affect, so reading it needs no query. A machine with a wrong clock therefore expires neither tokens nor
 * messages (§9.21). A test clock adds the offset stored in the database.
 */
export class DatabaseClock {
  readonly #store: Store;
  readonly #machine: Clock;
  /** A time of the database, and the timer's value at that moment. */
  #anchor = { databaseMs: 0, timerMs: 0 };
  #aheadMs = 0;
  #startedAtMs: number | undefined;
  readonly #uptimeMs: () => number;
  readonly #onMoved: (movedMs: number) => void;

  /**
   * The first comparison sets the time. `onMoved` is called when the time moves relative to `uptimeMs`, which includes
   * suspensions and is not affected by clock changes.
   */
  constructor(
    store: Store,
    machine: Clock,
    onMoved: (movedMs: number) => void = () => undefined,
    uptimeMs = () => uptime() * second,
  ) {
    this.#store = store;
    this.#machine = machine;
    this.#onMoved = onMoved;
    this.#uptimeMs = uptimeMs;
  }

  /** The database's time, with the offset of a test clock. */
  readonly now: Clock = () => new Date(this.#timeAt(performance.now()) + this.#aheadMs);

  readonly withoutOffset: Clock = () => new Date(this.#timeAt(performance.now()));

  async readOffset(): Promise<boolean> {
    const aheadMs = (await findStoredClock(this.#store)).aheadSeconds * second;
    // Of two concurrent reads, the one that ends later may return the older value.
    if (aheadMs <= this.#aheadMs) return false;
    this.#aheadMs = aheadMs;
    return true;
  }

  /** Returns how many milliseconds the machine's clock is ahead of the database's. */
  async compare(): Promise<number> {
    const before = { machineMs: this.#machine().getTime(), timerMs: performance.now() };
    const databaseMs = await readTime(this.#store);
    const after = { machineMs: this.#machine().getTime(), timerMs: performance.now() };
    // The database read its clock between these two timer readings, so only a time outside of them corrects the anchor.
    if (databaseMs < this.#timeAt(before.timerMs)) this.#anchor = { databaseMs, timerMs: before.timerMs };
    else if (databaseMs > this.#timeAt(after.timerMs)) this.#anchor = { databaseMs, timerMs: after.timerMs };
    this.#findMove(databaseMs);
    if (databaseMs < before.machineMs) return before.machineMs - databaseMs;
    return Math.min(0, after.machineMs - databaseMs);
  }

  #findMove(databaseMs: number): void {
    const startedAtMs = databaseMs - this.#uptimeMs();
    this.#startedAtMs ??= startedAtMs;
    const movedMs = startedAtMs - this.#startedAtMs;
    if (Math.abs(movedMs) <= moveMaxMs) return;
    this.#startedAtMs = startedAtMs;
    this.#onMoved(movedMs);
  }

  #timeAt(timerMs: number): number {
    return this.#anchor.databaseMs + timerMs - this.#anchor.timerMs;
  }
}

async function readTime(store: Store): Promise<number> {
  const { rows } = await store.read((reader) =>
    sql<{ now: string }>`select (extract(epoch from clock_timestamp()) * 1000)::text as now`.execute(reader),
  );
  return Number(rows[0]?.now);
}

export function describeClockDifference(differenceMs: number): string {
  const side = differenceMs > 0 ? 'ahead of' : 'behind';
  const seconds = Math.abs(differenceMs) / second;
  const size = seconds < 3_600 ? `${seconds.toFixed(1)} s` : `${(seconds / 3_600).toFixed(1)} h`;
  return `The clock of this machine is ${size} ${side} the clock of the database.`;
}

export interface ServerTime {
  readonly clock: Clock;
  /** Without the offset of a test clock, because leases are renewed according to the system time. */
  readonly leaseClock: Clock;
  /** Returns undefined while the clocks of machine and database disagree, or the time is uncertain. */
  readonly removalTime: RemovalTime;
  /** Returns whether the stored offset of a test clock has increased. */
  readOffset(): Promise<boolean>;
  /** Starts to check periodically whether the time is certain; requires all tables of the database. */
  followCertainty(): Promise<void>;
  close(): void;
}

/** Throws if the clocks of database and machine differ by more than a minute. */
export async function followDatabaseClock(
  store: Store,
  machine: Clock,
  log: Logger,
  everyMs: number = compareEveryMs,
): Promise<ServerTime> {
  const uncertain = new UncertaintyTracker(store, log, 30 * everyMs);
  const clock = new DatabaseClock(store, machine, (movedMs) =>
    uncertain.begin(makeUncertainty('moved', movedMs, movedMs > 0 ? 'forward' : 'back')),
  );
  const report = makeAvailabilityReporter(log, {
    lost: 'the clocks of this machine and the database disagree: expired content is not removed; synchronize both with a time server',
    restored: 'the clocks of this machine and the database agree again',
  });
  let isAgreed = true;
  const judge = (differenceMs: number) => {
    isAgreed = Math.abs(differenceMs) <= removalDifferenceMaxMs;
    report(isAgreed, describeClockDifference(differenceMs));
  };
  let atStart = 0;
  // A slow response makes a comparison inaccurate, so three are made; each narrows the possible difference.
  for (let times = 0; times < 3; times += 1) atStart = await clock.compare();
  if (Math.abs(atStart) > startDifferenceMaxMs) {
    throw new Error(`${describeClockDifference(atStart)} Synchronize both with a time server, then start again.`);
  }
  judge(atStart);
  let follow = async (): Promise<void> => undefined;
  let isComparing = false;
  const compare = async () => {
    if (isComparing) return;
    isComparing = true;
    // An unavailable database is reported elsewhere.
    await clock
      .compare()
      .then(judge)
      .then(() => follow())
      .catch(() => undefined);
    isComparing = false;
  };
  const timer = setInterval(compare, everyMs).unref();
  return {
    clock: clock.now,
    leaseClock: clock.withoutOffset,
    readOffset: () => clock.readOffset(),
    removalTime: () => (isAgreed && uncertain.isCertain ? clock.now() : undefined),
    followCertainty: () => {
      follow = () => uncertain.follow(clock.withoutOffset());
      return follow();
    },
    close: () => clearInterval(timer),
  };
}
