import process from 'node:process';

/** Whether a client with these ETags has the current version (`If-None-Match`). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * The default headers of every response. Nearly all responses contain a token or private data, so no cache may store
 * them, and browsers must not sniff their type.
 */
export const defaultResponseHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/**
 * An `import` of `node:http` would read all exports and thereby load the client behind `fetch`, which the server does
 * not use and which takes a twentieth of the server's start time.
 */
export const { createServer, IncomingMessage, METHODS, request, STATUS_CODES } = process.getBuiltinModule('node:http');
