import { codeOf } from '../platform/error-facts.ts';

// A lack of space or file handles, or a failing disk.
const codes = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM']);

/** The storage does not do what it should, and the message says how: it has no keys or passwords. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** Whether an error is a failure of the storage and not a defect of the server. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const isOfFile = typeof Reflect.get(error, 'syscall') === 'string' && Reflect.get(error, 'address') === undefined;
  return isOfFile && codes.has(codeOf(error) ?? '');
}
