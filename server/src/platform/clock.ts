/** Tells the time. Everything that lasts follows the clock that the server was given (D-42). */
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

/** How long servers keep what is due, which no reader sees by then: a wrong clock must not delete it (D-42). */
export const deletionDelayMs = 7 * day;

/** The end of what servers delete at `now`. */
export function deletableAt(now: Date, delayMs: number = deletionDelayMs): Date {
  return new Date(now.getTime() - delayMs);
}
