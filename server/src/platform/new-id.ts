import { v7 } from 'uuid';

/** A new id: UUID version 7, ordered by time, also within a millisecond of this process (D-16). */
export function newId(): string {
  return v7();
}

/** Lower than every id: the start of a scan in the order of ids. */
export const lowestId = '00000000-0000-0000-0000-000000000000';
