import { ApiError, ConnectionError, MessagePendingError, OperationPendingError, PlatformError } from '../errors.ts';

const causesMax = 5;

/**
 * Checks whether an error, or the cause of one that a program has wrapped around
 * it, ends by itself: a server that restarts, a broken network, a limit of
 * requests. What is pending in the outbox is sent again, so it counts as well.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (error instanceof MessagePendingError || error instanceof OperationPendingError) return true;
  if (error instanceof ConnectionError) return error.code === 'connection_failed' || error.code === 'timeout';
  if (error instanceof ApiError) return error.retryable;
  if (error instanceof PlatformError || !(error instanceof Error) || depth === causesMax) return false;
  return isOutage(error.cause, depth + 1);
}
