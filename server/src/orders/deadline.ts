/**
 * Reads a deadline of valid form, truncated to milliseconds. Undefined for a time
 * that a timestamp cannot represent: a leap second, or a year after 9999 in UTC (D-34).
 */
export function readDeadline(text: string): Date | undefined {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) || moment.getUTCFullYear() > 9_999 ? undefined : moment;
}

/** Whether a deadline is in the future. */
export function isAhead(deadline: Date, now: Date): boolean {
  return deadline.getTime() > now.getTime();
}
