import { ForeignStorage } from '../attachments/storage-claim-commands.ts';
import { BackupRefusal } from '../backup/repository/refusal.ts';
import { StorageUnavailable } from '../files/storage-failure.ts';
import { describeError } from '../platform/error-facts.ts';
import { Refusal } from '../platform/refusal.ts';
import { SettingsError } from '../platform/settings/settings.ts';
import { ClockMismatchError } from '../store/clock/stored-clock.ts';
import { FolderLockError } from '../store/embedded/folder-lock.ts';
import { DamagedSchemaError, NewerSchemaError } from '../store/migrate.ts';
import { isDatabaseUnavailable } from '../store/unavailable.ts';

/** The failure of a command; the message says how to fix it. */
export class OperatorFailure extends Error {
  override readonly name = 'OperatorFailure';
  /** The error code for programs: a code of the API if one fits. */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Converts an error to a failure for the operator; undefined if the error is a defect. */
export function toOperatorFailure(error: unknown): OperatorFailure | undefined {
  if (error instanceof OperatorFailure) return error;
  if (error instanceof Refusal) return new OperatorFailure(error.code, error.message, error);
  if (error instanceof SettingsError) return new OperatorFailure('wrong_settings', error.message, error);
  if (error instanceof BackupRefusal) return new OperatorFailure(error.code, error.message, error);
  if (error instanceof FolderLockError) return new OperatorFailure('in_use', error.message, error);
  if (error instanceof NewerSchemaError) return new OperatorFailure('newer_schema', error.message, error);
  if (error instanceof DamagedSchemaError) return new OperatorFailure('damaged_schema', error.message, error);
  if (error instanceof ClockMismatchError) return new OperatorFailure('foreign_clock', error.message, error);
  if (error instanceof ForeignStorage) return new OperatorFailure('foreign_storage', error.message, error);
  if (isDatabaseUnavailable(error)) {
    const message = `The database does not respond: ${describeError(error).replace(/\.$/, '')}. Check that it runs; "doctor" gives details.`;
    return new OperatorFailure('unavailable', message, error);
  }
  if (error instanceof StorageUnavailable) {
    return new OperatorFailure('unavailable', `${error.message} "doctor" gives details.`, error);
  }
  // An operating system error, such as a folder that cannot be created, a full disk, or a file of another user.
  if (error instanceof Error && typeof Reflect.get(error, 'syscall') === 'string') {
    const path: unknown = Reflect.get(error, 'path');
    const place = typeof path === 'string' ? `Give this user access to ${path}, or use another path` : 'Fix the cause';
    const message = `The operating system refused: ${error.message}. ${place}; "doctor" gives details.`;
    return new OperatorFailure('system', message, error);
  }
  return undefined;
}
