import { day } from './clock.ts';

/** The day that nothing reaches, for lifetimes that are switched off. */
const never = new Date('9999-12-31T23:59:59.999Z');

/** When something that begins now and lasts so many days ends; 0 days have no end. */
export function endOfLifetime(from: Date, days: number): Date {
  if (days === 0) return never;
  return new Date(Math.min(from.getTime() + days * day, never.getTime()));
}
