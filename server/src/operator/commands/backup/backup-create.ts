import { createBackup } from '../../../backup/create-commands.ts';
import { defineOperatorCommand } from '../../command.ts';
import { formatCard, formatTime } from '../../format.ts';
import { backupTimeoutMs, openBackupDependencies, recordBackupAct } from './backup-arguments.ts';
import { formatBytes, summarizeBackup } from './sizes.ts';

export const createBackupCommand = defineOperatorCommand({
  name: 'backup create',
  summary: 'back up the database and the files while the server runs',
  answerWithinMs: backupTimeoutMs,
  run: async (parts) => {
    const opened = await openBackupDependencies(parts);
    const manifest = await createBackup({ ...opened, journal: await parts.journal() });
    await recordBackupAct(parts, opened.store, manifest.name);
    return { ...summarizeBackup(manifest), lost: manifest.lost_files };
  },
  audit: ({ name, rows, files, lost_files }) => ({ backup: name, rows, files, lost_files }),
  format: ({ name, created_at, rows, table_bytes, files, file_bytes, lost }) =>
    [
      formatCard([
        ['backup', name],
        ['begun', formatTime(created_at)],
        ['rows', `${rows} (${formatBytes(table_bytes)})`],
        ['files', `${files} (${formatBytes(file_bytes)})`],
      ]),
      '',
      ...(lost.length === 0 ? [] : [`The storage lacks these files: ${lost.join(', ')}.`]),
      'Verify it with "backup verify newest", and keep a copy of the backups and of backup.key on another machine.',
    ].join('\n'),
});
