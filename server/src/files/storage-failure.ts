import { errorCodeOf } from '../platform/error-facts.ts';

// Too little disk space, too few file handles, or a failing disk.
const codes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE']);

// Errors that affect a single file: a bad sector, wrong permissions, or a path that is not a file.
const unreadable = new Set(['EIO', 'EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'ELOOP']);

/** A failure of the storage. The message gives the reason, without keys or passwords. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** Whether an error is a storage failure and not a defect of the server. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const isOfFile = typeof Reflect.get(error, 'syscall') === 'string' && Reflect.get(error, 'address') === undefined;
  return isOfFile && (codes.has(errorCodeOf(error) ?? '') || isUnreadableFileError(error));
}

/** Whether an error concerns only the file that was read. */
export function isUnreadableFileError(error: unknown): boolean {
  return unreadable.has(errorCodeOf(error) ?? '');
}
