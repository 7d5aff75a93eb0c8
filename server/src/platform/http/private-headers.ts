/**
 * Headers of every answer whose route sets no others. Nearly all answers have a
 * token or private data: no cache keeps them, and no browser takes them for
 * anything but JSON.
 */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
