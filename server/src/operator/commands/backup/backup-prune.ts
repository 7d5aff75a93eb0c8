import { pruneBackups } from '../../../backup/prune-commands.ts';
import { operatorCommand } from '../../command.ts';
import { readCertainTime } from '../retention.ts';
import { backupWithinMs, openBackupDependencies, recordAct } from './backup-arguments.ts';

/** Removes old backups. */
export const backupPrune = operatorCommand({
  name: 'backup prune',
  summary: 'remove backups older than PLATFORM_BACKUP_DAYS, but never the newest verified one',
  answerWithinMs: backupWithinMs,
  run: async (parts) => {
    const opened = await openBackupDependencies(parts);
    await readCertainTime(opened.store, parts);
    const pruned = await pruneBackups(opened);
    for (const name of pruned.removed) await recordAct(parts, opened.store, name);
    return pruned;
  },
  audit: ({ removed }) => ({ removed }),
  format: ({ removed, kept, removed_files }) =>
    [
      removed.length === 0 ? 'No backup is old enough to be removed.' : `Removed ${removed.join(', ')}.`,
      `${kept.length} backup(s) remain; ${removed_files} unreferenced file(s) were removed.`,
    ].join('\n'),
});
