/** Returns the time. All expiry follows the clock that the server was given (§9.21). */
export type Clock = () => Date;

/** The time by which expired content is removed; undefined while it is not certain enough for that. */
export type RemovalTime = () => Date | undefined;

/** The clock of the machine. */
export const systemClock: Clock = () => new Date();

/** How long it is, in milliseconds. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** How long servers keep what is due, which no reader sees by then: a wrong clock must not delete it (§9.21). */
export const deletionDelayMs = 7 * day;

/** The end of what servers delete at `now`. */
export function deletableAt(now: Date, delayMs: number = deletionDelayMs): Date {
  return new Date(now.getTime() - delayMs);
}

/** The day that nothing reaches, for lifetimes that are switched off. */
const never = new Date('9999-12-31T23:59:59.999Z');

/** When something that begins now and lasts so many days ends; 0 days have no end. */
export function endOfLifetime(from: Date, days: number): Date {
  if (days === 0) return never;
  return new Date(Math.min(from.getTime() + days * day, never.getTime()));
}
