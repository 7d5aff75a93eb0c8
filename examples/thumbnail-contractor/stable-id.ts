import { createHash } from 'node:crypto';

/**
 * An id that is the same whenever it is made from the same words. A program that
 * was killed and runs again uploads under it without a second file coming into
 * being.
 */
export function stableId(...words: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex');
  // Version 8 is the one whose bits are free to choose (RFC 9562).
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
