import { addToWindow, type RateLimit, type RateWindow } from './rate-limit.ts';

interface Count {
  readonly limit: RateLimit;
  readonly key: string;
  readonly amount: number;
}

/** Counts requests by key, either for all instances or only in this process. */
export interface RateLimitCounters {
  /** Adds to the windows of different keys and returns their new states in the same order. */
  count(counts: readonly Count[], now: Date): Promise<readonly RateWindow[]>;
  sweep(now: Date): Promise<void>;
}

/** Contains the name of the limit, so that keys of different limits never collide. */
export function windowId({ limit, key }: Pick<Count, 'limit' | 'key'>): string {
  return `${limit.name}:${key}`;
}

/** Makes counters in memory, for a process that does not share its database. */
export function makeMemoryCounters(): RateLimitCounters & { readonly size: number } {
  const windows = new Map<string, RateWindow>();
  return {
    get size() {
      return windows.size;
    },
    async count(counts, now) {
      return counts.map((count) => {
        const window = addToWindow(windows.get(windowId(count)), count.amount, count.limit, now.getTime());
        windows.set(windowId(count), window);
        return window;
      });
    },
    async sweep(now) {
      for (const [id, window] of windows) if (window.endsAtMs <= now.getTime()) windows.delete(id);
    },
  };
}
