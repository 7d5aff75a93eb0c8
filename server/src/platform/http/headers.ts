import process from 'node:process';

/** Whether a client with these tags has the current version (`If-None-Match`). */
export function hasVersion(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * Headers of every answer whose route sets no others. Nearly all answers have a
 * token or private data: no cache keeps them, and no browser takes them for
 * anything but JSON.
 */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/**
 * The module `node:http`. An `import` of it reads all of its exports, and thereby loads the
 * client behind `fetch`, which the server does not use: a twentieth of the time of its start.
 */
export const { createServer, IncomingMessage, METHODS, request, STATUS_CODES } = process.getBuiltinModule('node:http');
