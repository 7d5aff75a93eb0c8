import type { RateLimit, Window } from './rate-limit.ts';
import { countInto } from './rate-limit.ts';

/** Counts requests by key; the one that all instances share, or the process alone. */
export interface Counters {
  /** Adds `amount` to the window of a key and tells where it stands then. */
  count(limit: RateLimit, key: string, amount: number, now: Date): Promise<Window>;
  /** Forgets windows that have ended. */
  sweep(now: Date): Promise<void>;
}

/** Counters of a process that serves its database alone. */
export function memoryCounters(): Counters & { readonly size: number } {
  const windows = new Map<string, Window>();
  return {
    get size() {
      return windows.size;
    },
    async count(limit, key, amount, now) {
      const id = `${limit.name}:${key}`;
      const window = countInto(windows.get(id), amount, limit, now.getTime());
      windows.set(id, window);
      return window;
    },
    async sweep(now) {
      for (const [id, window] of windows) if (window.endsAtMs <= now.getTime()) windows.delete(id);
    },
  };
}
