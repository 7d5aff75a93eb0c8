import { hash, randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesOfId = 16;

/** Drawn for 256 ids at a time: a draw for each takes longer than the rest of an id. */
const drawn = Buffer.alloc(256 * bytesOfId);
let usedBytes = drawn.length;

/** The time of the latest id, and its number within that millisecond, which begins at random. */
let msecs = 0;
let seq = 0;

/** A new id: UUID version 7, ordered by time, also within a millisecond of this process (§1.23). */
export function newId(): string {
  if (usedBytes === drawn.length) {
    randomFillSync(drawn);
    usedBytes = 0;
  }
  const random = drawn.subarray(usedBytes, usedBytes + bytesOfId);
  usedBytes += bytesOfId;
  const now = Date.now();
  // The half of the numbers that is left above suffices for each millisecond, also when the clock is set back for days.
  seq = now > msecs ? random.readUInt32BE() >>> 1 : seq + 1;
  msecs = Math.max(now, msecs);
  return v7({ msecs, seq, random });
}

/** Lower than every id: the start of a scan in the order of ids. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** The SHA-256 of a text or of bytes, in lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** A fresh secret as text: a prefix that says what it is, and random bytes in letters that a shell leaves alone. */
export function newSecret(prefix: string, bytes: number): string {
  return `${prefix}${randomBytes(bytes).toString('base64url')}`;
}
