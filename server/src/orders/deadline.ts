/**
 * Reads a deadline, whose form has been checked: to the millisecond, what is
 * finer is cut off. Undefined for a moment that the format of timestamps cannot
 * hold, a leap second or one that is beyond the year 9999 in UTC (D-34).
 */
export function readDeadline(text: string): Date | undefined {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) || moment.getUTCFullYear() > 9_999 ? undefined : moment;
}

/** Tells whether a deadline lies ahead. The moment itself has passed. */
export function isAhead(deadline: Date, now: Date): boolean {
  return deadline.getTime() > now.getTime();
}
