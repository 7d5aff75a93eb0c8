import { findStoredClock } from '../../store/clock/stored-clock.ts';
import type { Store } from '../../store/store.ts';

/** Returns null if the database uses the system clock. */
export async function readTestClock(store: Store) {
  const { kind, aheadSeconds } = await findStoredClock(store);
  return kind === 'test' ? { ahead_seconds: aheadSeconds } : null;
}

export function describeTestClock({ ahead_seconds }: { readonly ahead_seconds: number }): string {
  return ahead_seconds === 0
    ? 'a test clock that has not moved yet'
    : `a test clock, ${formatDurationSeconds(ahead_seconds)} ahead`;
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration for people; 90,000 seconds become `1 d 1 h`. */
export function formatDurationSeconds(seconds: number): string {
  let left = seconds;
  const parts = units.map(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ') || '0 s';
}
