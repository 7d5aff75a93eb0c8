import { v7 } from 'uuid';

/** A new id: UUID version 7, ordered by time, also within a millisecond of this process (D-16). */
export function newId(): string {
  return v7();
}
