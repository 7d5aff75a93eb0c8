import { resolve } from 'node:path';
import type { Settings } from '../../platform/settings/settings.ts';

/** The folder of backups of these settings. */
export function backupFolder({ backupDir, dataDir }: Pick<Settings, 'backupDir' | 'dataDir'>): string {
  return resolve(backupDir ?? `${dataDir}/backups`);
}

/** The folder of everything of one backup, in the folder of backups. */
export const backupName = /^\d{6,12}-\d{8}T\d{6}Z$/;

/** Folders with such a name are unfinished, and the next command removes them. */
export const unfinishedName = /^\.(new|old|scratch)-/;

/** The name of a backup: its number, which orders backups independently of clocks, and its time. */
export function makeBackupName(number: number, createdAt: Date): string {
  const time = createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${String(number).padStart(6, '0')}-${time}`;
}

/** The path of a file in the folder of backups, by the SHA-256 of its bytes: backups share it. */
export function objectPath(sha256: string): string {
  return `files/${sha256.slice(0, 2)}/${sha256}`;
}
