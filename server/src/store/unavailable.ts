import { codeOf } from '../platform/error-facts.ts';
/** The database did not answer, or not in time. Nothing is known of the work's outcome. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

const connectionStates = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57014', // query_canceled: our own statement timeout
  '25P03', // idle_in_transaction_session_timeout
  '53300', // too_many_connections
  '53100', // disk_full
  '53200', // out_of_memory
  '58030', // io_error
  '55P03', // lock_not_available
]);

const connectionFailures =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT.*\.s\.PGSQL|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable|the database system is|Cannot use a pool after calling end|does not support SSL connections/i;

/** Tells whether a failure is the database's absence, and not a defect of a statement. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const state = codeOf(error);
  if (state !== undefined && (connectionStates.has(state) || state.startsWith('08'))) return true;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  return connectionFailures.test(`${state ?? ''} ${error.message}`) || isUnavailable(error.cause);
}

/** Deadlock and serialisation failure: the database asks to try the same again. */
export function isRetryable(error: unknown): boolean {
  const state = codeOf(error);
  return state === '40001' || state === '40P01';
}
