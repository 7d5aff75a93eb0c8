import { pruneBackups } from '../../../backup/prune-commands.ts';
import { defineOperatorCommand } from '../../command.ts';
import { requireCertainTime } from '../retention.ts';
import { backupTimeoutMs, openBackupDependencies, recordBackupAct } from './backup-arguments.ts';

export const pruneBackupsCommand = defineOperatorCommand({
  name: 'backup prune',
  summary: 'remove backups older than PLATFORM_BACKUP_DAYS, but never the newest verified one',
  answerWithinMs: backupTimeoutMs,
  run: async (parts) => {
    const opened = await openBackupDependencies(parts);
    await requireCertainTime(opened.store, parts);
    const pruned = await pruneBackups(opened);
    for (const name of pruned.removed) await recordBackupAct(parts, opened.store, name);
    return pruned;
  },
  audit: ({ removed }) => ({ removed }),
  format: ({ removed, kept, removed_files }) =>
    [
      removed.length === 0 ? 'No backup is old enough to be removed.' : `Removed ${removed.join(', ')}.`,
      `${kept.length} backup(s) remain; ${removed_files} unreferenced file(s) were removed.`,
    ].join('\n'),
});
