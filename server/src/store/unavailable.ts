import { errorCodeOf } from '../platform/error-facts.ts';

/** The database did not respond, or not in time. The outcome of the work is unknown. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** The database cancelled and undid a statement that took too long. */
export class StatementCanceledError extends StoreUnavailableError {
  override readonly name = 'StatementCanceledError';
}

/** The database responds but does not accept writes at the moment. */
export class StoreReadOnlyError extends StoreUnavailableError {
  override readonly name = 'StoreReadOnlyError';
  /** `watchWrites` logs when this state changes. */
  readonly hasOwnLogLine = true;
  /** Selects the hint, unless the cause has a different code. */
  readonly code = '25006';
}

export const connectionHint =
  'Lower PLATFORM_DATABASE_CONNECTIONS, raise the limit in PostgreSQL, or connect through a pooler.';

const canceledState = '57014';

const run = 'run, exist and accept this user and password';
const haveTime = 'respond in time: a statement was cancelled by a person or a limit. Start again';

/**
 * The meaning of each SQLSTATE for the database, and the end of the sentence "The database must …" for an operator.
 * Requests may be retried if the database is `away` or accepts `no writes`; `refused` is permanent.
 */
const databaseStates: Readonly<Record<string, readonly ['away' | 'no writes' | 'refused', string]>> = {
  '57P01': ['away', run], // admin_shutdown
  '57P02': ['away', run], // crash_shutdown
  '57P03': ['away', 'run; it is starting or stopping. Start again'], // cannot_connect_now
  [canceledState]: ['away', haveTime], // query_canceled: our own statement timeout
  '25P03': ['away', haveTime], // idle_in_transaction_session_timeout
  '55P03': ['away', haveTime], // lock_not_available
  '53200': ['away', 'have enough memory'], // out_of_memory
  '53300': ['away', `have free connections. ${connectionHint.slice(0, -1)}`], // too_many_connections
  '58030': ['away', 'be able to read and write its files'], // io_error
  '25006': ['no writes', 'accept writes: name the primary, or end the read-only mode'], // read_only_sql_transaction
  '53100': ['no writes', 'have free disk space'], // disk_full
  '28P01': ['refused', 'accept this user and password'], // invalid_password
  '28000': ['refused', 'accept this user: check its role and pg_hba.conf'], // invalid_authorization_specification
  '3D000': ['refused', 'exist'], // invalid_catalog_name
  '42501': ['refused', 'give this user its privileges; the owner of all tables has them'], // insufficient_privilege
  '0A000': ['refused', 'support the features that this server uses: PostgreSQL 15 or later'], // feature_not_supported
  '22P05': ['refused', 'have the encoding UTF8'], // untranslatable_character
};

// Errors of the driver and the system, whose messages are not translated.
const connectionFailures =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT.*\.s\.PGSQL|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable|Cannot use a pool after calling end|does not support SSL connections/i;

/** Whether an error means that the database is unavailable, and not that a statement is faulty. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  const state = errorCodeOf(error) ?? '';
  const [kind] = databaseStates[state] ?? [];
  if (kind !== undefined) return kind !== 'refused';
  if (state.startsWith('08')) return true;
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  return connectionFailures.test(`${state} ${error.message}`) || isDatabaseUnavailable(error.cause);
}

/** Converts errors of all drivers about an unavailable or read-only database to a common type. */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || !isDatabaseUnavailable(error)) return error;
  if (databaseStates[errorCodeOf(error) ?? '']?.[0] === 'no writes')
    return new StoreReadOnlyError('The database does not accept writes.', { cause: error });
  if (errorCodeOf(error) === canceledState)
    return new StatementCanceledError('A statement took too long.', { cause: error });
  return new StoreUnavailableError('The database cannot be reached.', { cause: error });
}

/** Returns how to fix this failure of the database; undefined if the database did not cause it. */
export function findDatabaseHint(error: unknown, databaseUrl: string): string | undefined {
  const must = findRemedy(error) ?? (isDatabaseUnavailable(error) ? run : undefined);
  if (must === undefined) return undefined;
  const { hostname, port, pathname } = new URL(databaseUrl);
  const place = `${decodeURIComponent(pathname).slice(1) || '(no name)'} at ${hostname}:${port || '5432'}`;
  return `Check DATABASE_URL: the database ${place} must ${must}.`;
}

function findRemedy(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return findRemedy(error.cause) ?? databaseStates[errorCodeOf(error) ?? '']?.[1];
}

/** Whether an error is a deadlock or serialization failure, after which the database expects a retry. */
export function isRetryableError(error: unknown): boolean {
  const state = errorCodeOf(error);
  return state === '40001' || state === '40P01';
}
