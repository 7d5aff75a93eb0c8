import type { Cell } from './card.ts';

const dayMs = 86_400_000;
const expiresSoonDays = 5;

/** A timestamp to the minute, in UTC; whatever is not one stays as it is. */
export function showTime(timestamp: string): string {
  const time = new Date(timestamp);
  return Number.isNaN(time.getTime()) ? timestamp : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Yes or no. */
export function showBoolean(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Whole days until a time; negative when it has passed, null when there is none. */
export function daysUntil(timestamp: string | null, now: Date): number | null {
  if (timestamp === null) return null;
  const days = (Date.parse(timestamp) - now.getTime()) / dayMs;
  return Number.isNaN(days) ? null : Math.floor(days);
}

/** When a token ends, and how soon that is. */
export function showExpiry(timestamp: string | null, now: Date): Cell {
  const days = daysUntil(timestamp, now);
  if (timestamp === null || days === null) return 'not known';
  if (days < 0) return { text: `${showTime(timestamp)} (expired)`, paint: 'red' };
  const text = `${showTime(timestamp)} (in ${days} ${days === 1 ? 'day' : 'days'})`;
  return days < expiresSoonDays ? { text, paint: 'yellow' } : text;
}
