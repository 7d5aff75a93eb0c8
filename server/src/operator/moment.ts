import { Refusal } from '../platform/refusal.ts';

const form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses a moment: a date, which is its first moment in UTC, or a time with its
 * zone. A time without a zone would depend on the machine and is refused.
 */
export function readMoment(name: string, text: string): Date {
  const parts = form.exec(text);
  const moment = new Date(text);
  if (parts === null || Number.isNaN(moment.getTime()) || !isDayOfCalendar(parts[1] ?? '')) {
    throw new Refusal(
      'invalid_input',
      `${name} ${JSON.stringify(text)} is not a valid time. Use a date such as 2027-01-31, or a time with a zone such as 2027-01-31T18:00:00Z.`,
    );
  }
  return moment;
}

// `Date` turns 30 February into a day of March.
function isDayOfCalendar(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
