import { codeOf } from '../platform/error-facts.ts';
import { connectionHint } from '../store/connections/connection-budget.ts';
import { FolderInUse } from '../store/embedded/folder-lock.ts';
import { isUnavailable } from '../store/unavailable.ts';

const hints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program uses this port: set PORT to a free port.',
  EADDRNOTAVAIL: 'HOST is not an address of this machine: set it to a local address, or to 0.0.0.0 for all addresses.',
  EACCES: 'This user lacks permission: choose a PORT above 1023, or a PLATFORM_DATA_DIR that this user owns.',
  EPERM: 'This user lacks permission: choose a PLATFORM_DATA_DIR that this user owns.',
  EROFS: 'The file system is read-only: choose another PLATFORM_DATA_DIR.',
  EEXIST: 'PLATFORM_DATA_DIR must name a folder.',
  ENOTDIR: 'PLATFORM_DATA_DIR must name a folder.',
  ENOSPC: 'The disk is full: free some space, or choose another PLATFORM_DATA_DIR.',
};

/** PostgreSQL's own words for "access denied" and "no such database". */
const databaseRefusals = new Set(['28P01', '28000', '3D000', '42501', '0A000', '25006']);

const tooManyConnections = '53300';

/** A statement that was ended from outside: neither address nor password is wrong. */
const queryCanceled = '57014';

/** Says why the server could not start, and what to do. */
export function describeStartFailure(error: unknown, databaseUrl: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof FolderInUse) return error.message;
  const code = codeOf(error) ?? '';
  const hint =
    databaseUrl !== undefined && isOfDatabase(error, code)
      ? databaseHint(databaseUrl, codeOf(error.cause) ?? '')
      : hints[code];
  const known = hint ?? (code === 'ENOTFOUND' ? 'HOST cannot be resolved: set it to an address.' : undefined);
  return [sentence(reasonOf(error)), known].filter((part) => part !== undefined).join(' ');
}

function isOfDatabase(error: Error, code: string): boolean {
  const cause = codeOf(error.cause) ?? '';
  return isUnavailable(error) || databaseRefusals.has(code) || databaseRefusals.has(cause) || /SSL/.test(error.message);
}

function databaseHint(databaseUrl: string, cause: string): string {
  if (cause === queryCanceled) return 'A person or a limit of the database ended a statement: start again.';
  if (cause === tooManyConnections) return connectionHint;
  const { hostname, port, pathname } = new URL(databaseUrl);
  const place = `${decodeURIComponent(pathname).slice(1) || '(no name)'} at ${hostname}:${port || '5432'}`;
  return `Check DATABASE_URL: the database ${place} must run, exist and accept this user and password.`;
}

function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : '';
  const inner =
    error instanceof AggregateError && error.message === '' ? error.errors.map(String).join('; ') : error.message;
  return `${inner}${cause}`;
}

function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
