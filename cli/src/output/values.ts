import { formatFingerprint } from '@agent-platform/sdk';
import type { Cell } from './card.ts';

const dayMs = 86_400_000;
const expiresSoonDays = 5;

/** A timestamp to the minute, in UTC; whatever is not one stays as it is. */
export function showTime(timestamp: string): string {
  const time = new Date(timestamp);
  return Number.isNaN(time.getTime()) ? timestamp : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A fingerprint in two lines of eight groups, for comparing by eye. */
export function showFingerprint(hex: string): string {
  return [hex.slice(0, hex.length / 2), hex.slice(hex.length / 2)].map(formatFingerprint).join('\n');
}

/** Yes or no. */
export function showBoolean(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Days until a time, to the nearest whole one; negative once it has passed, null when there is none. */
export function daysUntil(timestamp: string | null, now: Date): number | null {
  if (timestamp === null) return null;
  const days = (Date.parse(timestamp) - now.getTime()) / dayMs;
  if (Number.isNaN(days)) return null;
  // What ended an hour ago is over and not "in 0 days".
  return days < 0 ? Math.floor(days) : Math.round(days);
}

/** When a token ends, and how soon that is. */
export function showExpiry(timestamp: string | null, now: Date): Cell {
  const days = daysUntil(timestamp, now);
  if (timestamp === null || days === null) return 'not known';
  if (days < 0) return { text: `${showTime(timestamp)} (expired)`, paint: 'red' };
  const text = `${showTime(timestamp)} (in ${days} ${days === 1 ? 'day' : 'days'})`;
  return days < expiresSoonDays ? { text, paint: 'yellow' } : text;
}
