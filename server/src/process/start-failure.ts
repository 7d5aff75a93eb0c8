import { describeError, errorCodeOf } from '../platform/error-facts.ts';
import { FolderLockError } from '../store/embedded/folder-lock.ts';
import { findDatabaseHint } from '../store/unavailable.ts';

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

export function describeStartFailure(error: unknown, databaseUrl: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof FolderLockError) return error.message;
  const code = errorCodeOf(error) ?? '';
  const hint = (databaseUrl === undefined ? undefined : findDatabaseHint(error, databaseUrl)) ?? hints[code];
  const known = hint ?? (code === 'ENOTFOUND' ? 'HOST cannot be resolved: set it to an address.' : undefined);
  return [sentence(describeError(error)), known].filter((part) => part !== undefined).join(' ');
}

function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
