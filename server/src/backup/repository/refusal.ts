/** Thrown if a backup cannot be made, read or restored. The message gives the reason and the remedy. */
export class BackupRefusal extends Error {
  override readonly name = 'BackupRefusal';
  readonly code: BackupRefusalCode;

  constructor(code: BackupRefusalCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

type BackupRefusalCode =
  | 'backup_busy'
  | 'backup_failed'
  | 'backup_not_found'
  | 'backup_damaged'
  | 'backup_forged'
  | 'backup_key_missing'
  | 'backup_newer'
  | 'foreign_clock'
  | 'no_space'
  | 'not_empty'
  | 'journal_missing'
  | 'server_runs';

export function damagedBackupRefusal(reason: string): BackupRefusal {
  return new BackupRefusal('backup_damaged', `The backup is damaged: ${reason}. Use another backup.`);
}
