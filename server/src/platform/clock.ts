/** Returns the time. All expiry follows the server's configured clock (§9.21). */
export type Clock = () => Date;

/** Returns the time before which expired content is removed; undefined while the clock is too uncertain. */
export type RemovalTime = () => Date | undefined;

/** The clock of the machine. */
export const systemClock: Clock = () => new Date();

/** Durations in milliseconds. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** How long expired content stays hidden before it is deleted, in case the clock was wrong (§9.21). */
export const deletionDelayMs = 7 * day;

/** Content that expired before this time may be deleted at `now`. */
export function computeDeletionCutoff(now: Date, delayMs: number = deletionDelayMs): Date {
  return new Date(now.getTime() - delayMs);
}

/** A date that is never reached, for unlimited lifetimes. */
const never = new Date('9999-12-31T23:59:59.999Z');

/** With 0 days, the lifetime has no end. */
export function endOfLifetime(from: Date, days: number): Date {
  if (days === 0) return never;
  return new Date(Math.min(from.getTime() + days * day, never.getTime()));
}
