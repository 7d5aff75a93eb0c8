import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const localHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const localOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

export interface AccessRefusal {
  readonly status: 401 | 403;
  readonly message: string;
}

/**
 * Returns a refusal unless the request comes from an authorized client: its Host is a name of this machine, no page of
 * another origin sent it, and it has the bearer token of this process.
 */
export function findAccessRefusal(headers: IncomingHttpHeaders, bearer: string): AccessRefusal | undefined {
  const { host, origin, authorization = '' } = headers;
  if (host === undefined || !localHost.test(host)) return { status: 403, message: 'Foreign Host.' };
  if (origin !== undefined && !localOrigin.test(origin)) return { status: 403, message: 'Foreign Origin.' };
  if (!isSame(authorization, `Bearer ${bearer}`))
    return { status: 401, message: 'Send the bearer token of this server.' };
  return undefined;
}

// Compares hashes of equal length, so that the comparison takes constant time.
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
