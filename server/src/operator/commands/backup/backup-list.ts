import { listBackups } from '../../../backup/repository/repository-queries.ts';
import { defineOperatorCommand } from '../../command.ts';
import { formatTable, formatTime } from '../../format.ts';
import { makeOfflineBackupDependencies } from './backup-arguments.ts';
import { formatBytes, summarizeBackup } from './sizes.ts';

export const listBackupsCommand = defineOperatorCommand({
  name: 'backup list',
  summary: 'list backups without checking them, newest first',
  run: async (parts) => {
    const { repository } = makeOfflineBackupDependencies(parts);
    const backups = await listBackups(repository);
    return {
      folder: repository,
      backups: backups.map(({ manifest, verifiedAt }) => ({ ...summarizeBackup(manifest), verified_at: verifiedAt })),
    };
  },
  format: ({ folder, backups }) => {
    if (backups.length === 0) return `There are no backups in ${folder}.`;
    const rows = backups.map((backup) => [
      backup.name,
      formatTime(backup.created_at),
      String(backup.rows),
      formatBytes(backup.table_bytes),
      String(backup.files),
      formatBytes(backup.file_bytes),
      formatTime(backup.verified_at),
    ]);
    return formatTable(['BACKUP', 'BEGUN', 'ROWS', 'BYTES', 'FILES', 'BYTES', 'VERIFIED'], rows);
  },
});
