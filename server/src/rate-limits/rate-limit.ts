import { minute } from '../platform/clock.ts';

/** A maximum per window. A `max` of 0 disables the limit. */
export interface RateLimit {
  /** Names the limit inside the keys of its windows. */
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
}

/** A window of one key: how many were counted, and until when they count (milliseconds since 1970). */
export interface Window {
  readonly count: number;
  readonly endsAtMs: number;
}

/** The verdict of a limit on a request. */
export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number };

export const allowed: Verdict = { allowed: true };

/**
 * Whether a window counts now. One that ends later than any that begins now was begun by a wrong clock; the clocks of
 * servers differ by less than a minute.
 */
export function isCurrent({ endsAtMs }: Window, { windowMs }: RateLimit, nowMs: number): boolean {
  return endsAtMs > nowMs && endsAtMs <= nowMs + windowMs + minute;
}

/** Counts into a window, which begins anew when it is not current. The window begins with its first request. */
export function countInto(window: Window | undefined, amount: number, limit: RateLimit, nowMs: number): Window {
  if (window === undefined || !isCurrent(window, limit, nowMs))
    return { count: amount, endsAtMs: nowMs + limit.windowMs };
  return { count: window.count + amount, endsAtMs: window.endsAtMs };
}

/** Judges the request that was counted last into a window. */
export function judge(window: Window, limit: RateLimit, nowMs: number): Verdict {
  return window.count <= limit.max ? allowed : refused(window, nowMs);
}

/** The verdict on a request that a window has no room for. */
export function refused(window: Window, nowMs: number): Verdict {
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)) };
}

/** Whether a window is full until it ends; no counter has to be read then. */
export function isFull(window: Window, limit: RateLimit, nowMs: number): boolean {
  return isCurrent(window, limit, nowMs) && window.count >= limit.max;
}

/**
 * How many requests of a key one instance may admit on its own before it tells
 * the others: a sixteenth of what is left, so that the count is exact where it
 * decides and costs the database nothing where it does not.
 */
export function aheadMax(window: Window, limit: RateLimit): number {
  return Math.min(64, Math.max(0, Math.floor((limit.max - window.count) / 16)));
}
