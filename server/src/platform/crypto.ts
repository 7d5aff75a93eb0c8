import { hash, randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesOfId = 16;

/** Random bytes for 256 ids, because generating them for each id takes longer than the rest of `newId`. */
const drawn = Buffer.alloc(256 * bytesOfId);
let usedBytes = drawn.length;

/** The time of the latest id, and its sequence number within that millisecond, which starts at a random value. */
let msecs = 0;
let seq = 0;

/** Returns a UUID version 7; ids are ordered by time, even within a millisecond of this process (§1.23). */
export function newId(): string {
  if (usedBytes === drawn.length) {
    randomFillSync(drawn);
    usedBytes = 0;
  }
  const random = drawn.subarray(usedBytes, usedBytes + bytesOfId);
  usedBytes += bytesOfId;
  const now = Date.now();
  // Starts in the lower half, so that enough sequence numbers remain even if the clock is set back by days.
  seq = now > msecs ? random.readUInt32BE() >>> 1 : seq + 1;
  msecs = Math.max(now, msecs);
  return v7({ msecs, seq, random });
}

/** Lower than every id; scans in id order start here. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** Returns lower-case hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** The random bytes are encoded in characters that a shell does not interpret. */
export function newSecret(prefix: string, bytes: number): string {
  return `${prefix}${randomBytes(bytes).toString('base64url')}`;
}
