import { type Clock, minute } from '../platform/clock.ts';
import { errorMessageOf, logLevelOf } from '../platform/error-facts.ts';
import type { Logger } from '../platform/logger.ts';
import { type RateLimitCounters, windowId } from './counters.ts';
import {
  allowedVerdict,
  isWindowCurrent,
  isWindowFull,
  judgeRequest,
  makeRefusedVerdict,
  maxUnsharedRequests,
  type RateLimit,
  type RateLimitVerdict,
  type RateWindow,
} from './rate-limit.ts';

/** The maximum time for which an instance may keep local counts before it shares them. */
const settleEveryMs = 200;

/** Limits below this are exact. Of a higher limit, less than a hundredth is admitted before counts are shared. */
const exactBelow = 10_000;

/** The maximum number of keys counted in one command. */
const batchMax = 500;

interface Waiter {
  resolve(verdict: RateLimitVerdict): void;
  reject(error: unknown): void;
}

interface Tally {
  readonly limit: RateLimit;
  readonly key: string;
  /** The last known count over all instances. */
  heard: RateWindow;
  heardAtMs: number;
  /** Requests admitted here but not shared yet, minus the requests given back. */
  ahead: number;
  /** Counts that were sent, but are not confirmed yet. */
  underway: number;
  /** Requests waiting for the exact count. */
  waiting: Waiter[];
}

/**
 * Makes a limiter over counters, which several instances may share. At most one batch of counts is in progress at any
 * time, so that a flood, from one address or from thousands, uses no more than one database connection; a window
 * known to be full is refused without a query.
 */
export function makeLimiter(counters: RateLimitCounters, clock: Clock, log: Logger) {
  const tallies = new Map<string, Tally>();
  const settlement = makeSettlement(counters, clock, log);

  function tallyOf(limit: RateLimit, key: string): Tally {
    const id = windowId({ limit, key });
    const known = tallies.get(id);
    if (known !== undefined) return known;
    const heard = { count: 0, endsAtMs: 0 };
    const tally = { limit, key, heard, heardAtMs: 0, ahead: 0, underway: 0, waiting: [] };
    tallies.set(id, tally);
    return tally;
  }

  // Counts given back here are subtracted immediately, before the shared counters include them.
  function refuseFull({ heard, limit, ahead }: Tally): RateLimitVerdict | undefined {
    const nowMs = clock().getTime();
    const known = { ...heard, count: heard.count + Math.min(ahead, 0) };
    return isWindowFull(known, limit, nowMs) ? makeRefusedVerdict(heard, nowMs) : undefined;
  }

  function wait(tally: Tally): Promise<RateLimitVerdict> {
    return new Promise((resolve, reject) => {
      tally.waiting.push({ resolve, reject });
      settlement.settleSoon(tally);
    });
  }

  const settling = setInterval(() => {
    settlement.settleAll([...tallies.values()].filter(({ ahead }) => ahead !== 0));
  }, settleEveryMs).unref();

  const sweeping = setInterval(() => {
    const nowMs = clock().getTime();
    for (const [id, tally] of tallies) if (tally.heard.endsAtMs <= nowMs && isIdle(tally)) tallies.delete(id);
    counters
      .sweep(clock())
      .catch((error: unknown) =>
        log[logLevelOf(error)]({ err: error }, 'expired rate-limit windows could not be removed'),
      );
  }, minute).unref();

  return {
    /** Counts a request exactly over all instances, except for limits so high that `takeFast` suffices. */
    async take(limit: RateLimit, key: string): Promise<RateLimitVerdict> {
      if (limit.max === 0) return allowedVerdict;
      if (limit.max >= exactBelow) return await this.takeFast(limit, key);
      const tally = tallyOf(limit, key);
      return refuseFull(tally) ?? (await wait(tally));
    },
    /** Like `take`, but for frequent requests. Shares counts in batches far from the limit, and immediately near it. */
    takeFast(limit: RateLimit, key: string): RateLimitVerdict | Promise<RateLimitVerdict> {
      if (limit.max === 0) return allowedVerdict;
      const tally = tallyOf(limit, key);
      return refuseFull(tally) ?? takeAhead(tally, clock().getTime()) ?? wait(tally);
    },
    /** Refuses only if the last known counts fill the window. Does not count the request. */
    judgeHeard: (limit: RateLimit, key: string): RateLimitVerdict => refuseFull(tallyOf(limit, key)) ?? allowedVerdict,
    /** Subtracts a request that `take` counted but that should not count; the change is shared with the next batch. */
    giveBack(limit: RateLimit, key: string): void {
      if (limit.max === 0) return;
      const tally = tallyOf(limit, key);
      // If the window that counted the request has expired, there is nothing to subtract.
      if (!isWindowCurrent(tally.heard, limit, clock().getTime())) return;
      tally.ahead -= 1;
      settlement.settleSoon(tally);
    },
    close() {
      clearInterval(settling);
      clearInterval(sweeping);
    },
  };
}

/** Sends counts to the shared counters, one batch at a time. */
function makeSettlement(counters: RateLimitCounters, clock: Clock, log: Logger) {
  const due = new Set<Tally>();
  let isSettling = false;

  async function settle(): Promise<void> {
    if (isSettling) return;
    isSettling = true;
    while (due.size > 0) {
      const batch = [...due].slice(0, batchMax);
      for (const tally of batch) due.delete(tally);
      await settleBatch(batch);
    }
    isSettling = false;
  }

  async function settleBatch(batch: readonly Tally[]): Promise<void> {
    const sent = batch.map((tally) => {
      const waiting = tally.waiting.splice(0);
      const amount = tally.ahead + waiting.length;
      tally.ahead = 0;
      tally.underway = amount;
      return { tally, waiting, amount };
    });
    try {
      const now = clock();
      const counts = sent.map(({ tally: { limit, key }, amount }) => ({ limit, key, amount }));
      const windows = await counters.count(counts, now);
      for (const [index, { tally, waiting }] of sent.entries()) {
        hear(tally, waiting, windows[index], now);
        if (tally.ahead < 0) due.add(tally);
      }
    } catch (error) {
      for (const { tally, amount, waiting } of sent) {
        tally.underway = 0;
        tally.ahead += amount - waiting.length;
        for (const waiter of waiting) waiter.reject(error);
      }
      rejectDue(error);
    }
  }

  // Also rejects requests that wait for the next batch, because they would only fail later in the same way.
  function rejectDue(error: unknown): void {
    log.warn({ cause: errorMessageOf(error) }, 'rate limits cannot be counted');
    for (const tally of due) for (const waiter of tally.waiting.splice(0)) waiter.reject(error);
    due.clear();
  }

  return {
    /** Calls in the same event loop turn form a batch. */
    settleSoon(tally: Tally): void {
      due.add(tally);
      setImmediate(() => void settle());
    },
    settleAll(tallies: readonly Tally[]): void {
      for (const tally of tallies) due.add(tally);
      if (due.size > 0) void settle();
    },
  };
}

// Requests admitted in advance are counted first, then the waiting ones in order.
function hear(tally: Tally, waiting: readonly Waiter[], window: RateWindow | undefined, now: Date): void {
  if (window === undefined) throw new Error('The counters did not return every key.');
  tally.heard = window;
  tally.heardAtMs = now.getTime();
  tally.underway = 0;
  for (const [index, waiter] of waiting.entries()) {
    const count = window.count - waiting.length + index + 1;
    const verdict = judgeRequest({ ...window, count }, tally.limit, now.getTime());
    // A refused request does not count; otherwise refusals would keep the window full after counts are given back.
    if (!verdict.allowed) tally.ahead -= 1;
    waiter.resolve(verdict);
  }
}

function takeAhead(tally: Tally, nowMs: number): RateLimitVerdict | undefined {
  const { heard, limit } = tally;
  if (!isWindowCurrent(heard, limit, nowMs)) return undefined;
  if (tally.ahead + tally.underway + tally.waiting.length >= maxUnsharedRequests(heard, limit)) return undefined;
  // An old count is unreliable and only suffices below half of the limit.
  const isRecent = nowMs - tally.heardAtMs <= settleEveryMs;
  if (!isRecent && heard.count * 2 >= limit.max) return undefined;
  tally.ahead += 1;
  return allowedVerdict;
}

function isIdle({ ahead, underway, waiting }: Tally): boolean {
  return ahead === 0 && underway === 0 && waiting.length === 0;
}
