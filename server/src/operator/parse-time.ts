import { IsDate } from 'typebox/format';
import { Refusal } from '../platform/refusal.ts';

const form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses a date, which means its start in UTC, or a time with a zone. A time without a zone is refused, because it
 * would depend on the machine.
 */
export function parseTime(name: string, text: string): Date {
  const [, date = ''] = form.exec(text) ?? [];
  const moment = new Date(text);
  // `Date` would convert 30 February to a day in March.
  if (!IsDate(date) || Number.isNaN(moment.getTime())) {
    throw new Refusal(
      'invalid_input',
      `${name} ${JSON.stringify(text)} is not a valid time. Use a date such as 2027-01-31, or a time with a zone such as 2027-01-31T18:00:00Z.`,
    );
  }
  return moment;
}
