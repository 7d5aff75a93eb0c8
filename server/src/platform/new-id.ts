import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** A fresh id of a record: UUID version 7, ordered by time, also within a millisecond of this process (D-16). */
export function newId(): string {
  return v7();
}

const block = new Uint8Array(8_192);
let used = block.length;

/** A fresh id of a request: UUID version 7, with random bits that are fetched for hundreds of requests at once. */
export function newRequestId(): string {
  return v7({ rng: takeRandom });
}

function takeRandom(): Uint8Array {
  if (used === block.length) {
    randomFillSync(block);
    used = 0;
  }
  used += 16;
  return block.slice(used - 16, used);
}
