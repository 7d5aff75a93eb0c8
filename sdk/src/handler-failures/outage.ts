import { ApiError, ConnectionError, MessagePendingError, OperationPendingError, PlatformError } from '../errors.ts';

const causesMax = 5;

/**
 * Whether an error or its cause is temporary: a restarting server, a broken network, a rate limit. Requests
 * pending in the outbox also count, because they are sent again.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (error instanceof MessagePendingError || error instanceof OperationPendingError) return true;
  if (error instanceof ConnectionError) return error.code === 'connection_failed' || error.code === 'timeout';
  if (error instanceof ApiError) return error.retryable;
  if (error instanceof PlatformError || !(error instanceof Error) || depth === causesMax) return false;
  return isOutage(error.cause, depth + 1);
}
