import type { Cell, Column } from './layout.ts';

const dayMs = 86_400_000;
const mebibyte = 1024 * 1024;

/** A warning is shown if a token expires in fewer than this number of days. */
export const expiryWarningDays = 5;

/** Formats a timestamp to the minute, in UTC, with its distance from now; any other text is returned unchanged. */
export function formatTime(timestamp: string, now: Date): string {
  const minute = formatMinute(timestamp);
  return minute === timestamp ? timestamp : `${minute} (${formatAge(timestamp, now)})`;
}

/** Formats a timestamp to the minute, in UTC; any other text is returned unchanged. */
export function formatMinute(timestamp: string): string {
  const time = new Date(timestamp);
  return Number.isNaN(time.getTime()) ? timestamp : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

// A unit is used for distances of fewer than `below` seconds.
const ages = [
  { unit: 'minute', seconds: 60, below: 5_400 },
  { unit: 'hour', seconds: 3_600, below: 129_600 },
  { unit: 'day', seconds: 86_400, below: 5_184_000 },
  { unit: 'month', seconds: 2_629_746, below: 63_113_904 },
  { unit: 'year', seconds: 31_556_952, below: Number.POSITIVE_INFINITY },
] as const;

/** Formats the distance of a timestamp from now: `3 days ago`, `in 2 hours`. */
export function formatAge(timestamp: string, now: Date): string {
  const seconds = (Date.parse(timestamp) - now.getTime()) / 1_000;
  const distance = Math.abs(seconds);
  const age = ages.find(({ below }) => distance < below);
  if (age === undefined) return timestamp;
  if (distance < 60) return seconds > 0 ? 'in less than a minute' : 'just now';
  const count = Math.round(distance / age.seconds);
  const text = `${count} ${age.unit}${count === 1 ? '' : 's'}`;
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** A column of times: date and distance, or only the distance in a narrow table. */
export function makeTimeColumn<T>(heading: string, read: (record: T) => string): Column<T> {
  return [
    heading,
    (record, { now }) => formatTime(read(record), now),
    { short: (record, { now }) => formatAge(read(record), now) },
  ];
}

/** Formats a fingerprint in two lines of eight groups for visual comparison. */
export function formatFingerprintLines(hex: string): string {
  const halves = [hex.slice(0, hex.length / 2), hex.slice(hex.length / 2)];
  return halves.map((half) => half.replaceAll(/(.{4})(?=.)/g, '$1 ')).join('\n');
}

export function formatBoolean(value: boolean): string {
  return value ? 'yes' : 'no';
}

export function textOrUndefined(text: string | null): string | undefined {
  return text === null || text === '' ? undefined : text;
}

/** Formats basis points as a percentage: 1000 is 10 %. */
export function formatPercent(bps: number): string {
  return `${String(bps / 100)} %`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < mebibyte) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / mebibyte).toFixed(1)} MiB`;
}

/** The number of days until a time, rounded; negative if the time has passed, null if there is none. */
export function daysUntil(timestamp: string | null, now: Date): number | null {
  if (timestamp === null) return null;
  const days = (Date.parse(timestamp) - now.getTime()) / dayMs;
  if (Number.isNaN(days)) return null;
  // A past time is rounded down: after an hour it is -1, because 0 days would mean that the token is still valid.
  return days < 0 ? Math.floor(days) : Math.round(days);
}

export function formatExpiry(timestamp: string | null, now: Date): Cell {
  const days = daysUntil(timestamp, now);
  if (timestamp === null || days === null) return 'not known';
  const minute = formatMinute(timestamp);
  if (days < 0) return { text: `${minute} (expired)`, paint: 'red' };
  const text = `${minute} (in ${days} ${days === 1 ? 'day' : 'days'})`;
  return days < expiryWarningDays ? { text, paint: 'yellow' } : text;
}
