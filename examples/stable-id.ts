import { createHash } from 'node:crypto';

/**
 * An id that is the same for the same parts. A program that runs again after a
 * kill repeats its uploads and messages under the same ids, and the platform
 * stores each id once.
 */
export function stableId(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  // Version 8 leaves the other bits free (RFC 9562).
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
