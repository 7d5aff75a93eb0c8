import { minute } from '../platform/clock.ts';

/** A `max` of 0 disables the limit. */
export interface RateLimit {
  /** Identifies the limit in the keys of its windows. */
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
}

/** The number of counted requests of a key, and the end of its window in milliseconds since 1970. */
export interface RateWindow {
  readonly count: number;
  readonly endsAtMs: number;
}

export type RateLimitVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

export const allowedVerdict: RateLimitVerdict = { allowed: true };

/**
 * Whether a window is in effect now. If a window ends over a minute after a window that starts now, a server with a wrong
 * clock started it: correct clocks differ by less than a minute.
 */
export function isWindowCurrent({ endsAtMs }: RateWindow, { windowMs }: RateLimit, nowMs: number): boolean {
  return endsAtMs > nowMs && endsAtMs <= nowMs + windowMs + minute;
}

/** Adds to a window, or to a new one if the window is no longer in effect. A window starts with its first request. */
export function addToWindow(
  window: RateWindow | undefined,
  amount: number,
  limit: RateLimit,
  nowMs: number,
): RateWindow {
  if (window === undefined || !isWindowCurrent(window, limit, nowMs))
    return { count: amount, endsAtMs: nowMs + limit.windowMs };
  return { count: window.count + amount, endsAtMs: window.endsAtMs };
}

/** Decides on the request that was counted last in a window. */
export function judgeRequest(window: RateWindow, limit: RateLimit, nowMs: number): RateLimitVerdict {
  return window.count <= limit.max ? allowedVerdict : makeRefusedVerdict(window, nowMs);
}

export function makeRefusedVerdict(window: RateWindow, nowMs: number): RateLimitVerdict {
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)) };
}

/** Whether a window is full until it ends, so that no counter has to be read. */
export function isWindowFull(window: RateWindow, limit: RateLimit, nowMs: number): boolean {
  return isWindowCurrent(window, limit, nowMs) && window.count >= limit.max;
}

/**
 * How many requests of a key an instance may admit before it shares their count: a sixteenth of the remainder, so that
 * the count is exact near the limit and costs the database nothing far from it.
 */
export function maxUnsharedRequests(window: RateWindow, limit: RateLimit): number {
  return Math.min(64, Math.max(0, Math.floor((limit.max - window.count) / 16)));
}
