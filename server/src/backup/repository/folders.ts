import { resolve } from 'node:path';
import type { Settings } from '../../platform/settings/settings.ts';

export function backupFolder({ backupDir, dataDir }: Pick<Settings, 'backupDir' | 'dataDir'>): string {
  return resolve(backupDir ?? `${dataDir}/backups`);
}

/** The pattern of backup names, which are the names of folders in the backup folder. */
export const backupNamePattern = /^\d{6,12}-\d{8}T\d{6}Z$/;

/** Matches the names of unfinished folders, which the next command removes. */
export const unfinishedNamePattern = /^\.(new|old|scratch)-/;

/** Makes the name of a backup from its time and number. Sorting by number orders backups even if clocks were wrong. */
export function makeBackupName(number: number, createdAt: Date): string {
  const time = createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${String(number).padStart(6, '0')}-${time}`;
}

/** The path contains the SHA-256, so that backups share equal files. */
export function objectPath(sha256: string): string {
  return `files/${sha256.slice(0, 2)}/${sha256}`;
}
