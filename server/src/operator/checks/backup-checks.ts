import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sql } from 'kysely';
import { backupFolder } from '../../backup/repository/folders.ts';
import { listBackups, type StoredBackup } from '../../backup/repository/repository-queries.ts';
import { resolveBackupHours } from '../../backup/schedule-commands.ts';
import { day, hour } from '../../platform/clock.ts';
import { errorMessageOf } from '../../platform/error-facts.ts';
import type { Store } from '../../store/store.ts';
import { formatTime } from '../format.ts';
import type { OperatorDependencies } from '../parts.ts';
import { type DoctorCheck, makeFailedCheck, makePassedCheck, makeWarningCheck } from './check.ts';

/** The maximum age of a verification; an older one is no longer meaningful. */
const verifiedWithinMs = 8 * day;

/** The maximum age of the newest backup if no schedule is set. */
const unscheduledWithinMs = 7 * day;

export async function checkBackups(parts: OperatorDependencies): Promise<readonly DoctorCheck[]> {
  const { settings } = parts;
  const repository = backupFolder(settings);
  try {
    const backups = await listBackups(repository);
    const folder = checkPlace(repository, settings.dataDir);
    if (backups.length === 0 && resolveBackupHours(settings) === 0 && (await archivesLog(parts)))
      return [makePassedCheck('backups', `${repository} has no backup, but PostgreSQL archives its write-ahead log.`)];
    return [folder, checkAge(backups, parts), checkVerified(backups, parts.clock())];
  } catch (error) {
    return [
      makeFailedCheck(
        'backups',
        `${repository} cannot be read: ${errorMessageOf(error)}.`,
        'Make this user its owner.',
      ),
    ];
  }
}

function checkPlace(repository: string, dataDir: string): DoctorCheck {
  if (deviceOf(repository) !== deviceOf(resolve(dataDir)))
    return makePassedCheck('backup folder', `${repository}, on a different disk from the data.`);
  const hint =
    'Set PLATFORM_BACKUP_DIR to another disk, and keep copies on another machine. If this disk fails, data and backups are lost together.';
  return makeWarningCheck('backup folder', `${repository} is on the same disk as the data folder.`, hint);
}

function deviceOf(folder: string): number {
  return existsSync(folder) ? statSync(folder).dev : deviceOf(dirname(folder));
}

function checkAge([newest]: readonly StoredBackup[], { settings, clock }: OperatorDependencies): DoctorCheck {
  const hours = resolveBackupHours(settings);
  const hint =
    hours === 0
      ? 'Run "backup create", set PLATFORM_BACKUP_HOURS, or archive the write-ahead log of PostgreSQL.'
      : 'Check the server log for the cause, then run "backup create".';
  if (newest === undefined) return makeWarningCheck('backups', 'There is no backup.', hint);
  const text = `The newest is ${newest.name}, begun ${formatTime(newest.manifest.created_at)}.`;
  const ageMs = clock().getTime() - Date.parse(newest.manifest.created_at);
  if (ageMs > (hours === 0 ? unscheduledWithinMs : 2 * hours * hour)) return makeWarningCheck('backups', text, hint);
  return makePassedCheck('backups', text);
}

function checkVerified(backups: readonly StoredBackup[], now: Date): DoctorCheck {
  const verified = backups.find(({ verifiedAt }) => verifiedAt !== null);
  const hint = 'Run "backup verify newest". An unverified backup may not be restorable.';
  if (verified === undefined) return makeWarningCheck('verified', 'No backup was verified.', hint);
  const text = `${verified.name} was verified ${formatTime(verified.verifiedAt)}.`;
  const ageMs = now.getTime() - Date.parse(verified.verifiedAt ?? '');
  return ageMs > verifiedWithinMs ? makeWarningCheck('verified', text, hint) : makePassedCheck('verified', text);
}

async function archivesLog({ store }: OperatorDependencies): Promise<boolean> {
  const opened: Store | undefined = await store.asItIs().catch(() => undefined);
  if (opened?.kind !== 'postgresql') return false;
  const { rows } = await opened.read((reader) =>
    sql<{ mode: string }>`select current_setting('archive_mode') as mode`.execute(reader),
  );
  return rows[0]?.mode !== 'off';
}
