import type { SelectType } from 'kysely';
import type { Tables } from './tables/all-tables.ts';

/**
 * The two drivers return timestamps as text (`2026-11-21 09:03:24.2+00`, in JSON `2026-11-21T09:03:24.2+00:00`) and
 * bigints as text or numbers. These functions convert both to one form.
 */

/** A stored row as the drivers return it. */
export type Row<Name extends keyof Tables> = {
  readonly [Column in keyof Tables[Name]]: WithText<SelectType<Tables[Name][Column]>>;
};
type WithText<T> = T extends Date ? Date | string : T;

const timestampText = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00(?::00)?$/;

/** Converts a stored timestamp to the format of the API: UTC with milliseconds and `Z` (§1.26). */
export function formatTimestamp(value: Date | string): string {
  if (value instanceof Date) return value.toISOString();
  const parts = timestampText.exec(value);
  if (parts === null) throw new Error(`The database sent a timestamp that is not UTC text: ${value}`);
  const [, date, time, fraction = ''] = parts;
  return `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

export function formatTimestampOrNull(value: Date | string | null): string | null {
  return value === null ? null : formatTimestamp(value);
}

export function timestampToMs(value: Date | string): number {
  return value instanceof Date ? value.getTime() : Date.parse(formatTimestamp(value));
}

/** Throws if a number cannot represent the value exactly. */
export function toSafeInteger(value: number | string | bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`The database sent a number that is not a safe integer: ${value}`);
  return number;
}
