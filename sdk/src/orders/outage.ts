import { ApiError, ConnectionError } from '../errors.ts';

/** Checks whether a read failed for a reason that ends by itself, such as a server that restarts. */
export function isOutage(error: unknown): boolean {
  return error instanceof ConnectionError
    ? error.code === 'connection_failed' || error.code === 'timeout'
    : error instanceof ApiError && error.retryable;
}
