import { type Clock, minute } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Counters } from './counters.ts';
import { aheadMax, allowed, judge, type RateLimit, type Verdict, type Window } from './rate-limit.ts';

/** How long an instance may keep counts of its own before the others hear of them. */
const settleEveryMs = 200;

interface Ahead {
  readonly limit: RateLimit;
  readonly key: string;
  shared: Window;
  unsettled: number;
  settledAtMs: number;
  settling: Promise<void> | undefined;
}

/** Decides whether a request fits its limits. */
export interface Limiter {
  /** Counts one and judges it exactly, over all instances. */
  take(limit: RateLimit, key: string): Promise<Verdict>;
  /**
   * The same for a limit that every request passes: while it is far away the
   * count goes to the other instances in batches, close to it one by one.
   */
  takeFast(limit: RateLimit, key: string): Verdict | Promise<Verdict>;
  close(): void;
}

/** Makes a limiter over counters, which several instances may share. */
export function makeLimiter(counters: Counters, clock: Clock, log: Logger): Limiter {
  const ahead = new Map<string, Ahead>();

  async function count(limit: RateLimit, key: string, amount: number): Promise<Window> {
    return await counters.count(limit, key, amount, clock());
  }

  async function settle(entry: Ahead): Promise<void> {
    const amount = entry.unsettled;
    entry.unsettled = 0;
    entry.shared = await count(entry.limit, entry.key, amount);
    entry.settledAtMs = clock().getTime();
  }

  async function takeExactly(entry: Ahead): Promise<Verdict> {
    entry.unsettled += 1;
    await settle(entry);
    return judge(entry.shared, entry.limit, clock().getTime());
  }

  function takeAhead(entry: Ahead): Verdict | undefined {
    const nowMs = clock().getTime();
    if (entry.shared.endsAtMs <= nowMs) return undefined;
    if (entry.unsettled >= aheadMax(entry.shared, entry.limit)) return undefined;
    // What was heard long ago says little of what the others have counted since:
    // past half of the limit it no longer counts.
    const isRecent = nowMs - entry.settledAtMs <= settleEveryMs;
    if (!isRecent && entry.shared.count * 2 >= entry.limit.max) return undefined;
    entry.unsettled += 1;
    return allowed;
  }

  const settling = setInterval(() => {
    for (const entry of ahead.values()) {
      if (entry.unsettled === 0 || entry.settling !== undefined) continue;
      entry.settling = settle(entry)
        .catch((error: unknown) => log.warn({ err: error }, 'counts of a rate limit could not be settled'))
        .finally(() => {
          entry.settling = undefined;
        });
    }
  }, settleEveryMs).unref();

  const sweeping = setInterval(() => {
    const nowMs = clock().getTime();
    for (const [id, entry] of ahead) if (entry.shared.endsAtMs <= nowMs && entry.unsettled === 0) ahead.delete(id);
    counters
      .sweep(clock())
      .catch((error: unknown) => log.warn({ err: error }, 'ended rate windows could not be removed'));
  }, minute).unref();

  return {
    async take(limit, key) {
      return limit.max === 0 ? allowed : judge(await count(limit, key, 1), limit, clock().getTime());
    },
    takeFast(limit, key) {
      if (limit.max === 0) return allowed;
      const id = `${limit.name}:${key}`;
      const entry = ahead.get(id) ?? {
        limit,
        key,
        shared: { count: limit.max, endsAtMs: 0 },
        unsettled: 0,
        settledAtMs: 0,
        settling: undefined,
      };
      ahead.set(id, entry);
      return takeAhead(entry) ?? takeExactly(entry);
    },
    close() {
      clearInterval(settling);
      clearInterval(sweeping);
    },
  };
}
