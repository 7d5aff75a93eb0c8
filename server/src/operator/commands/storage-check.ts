import { openIncomingFolder } from '../../attachments/attachments-setup.ts';
import { checkAllFiles } from '../../attachments/damage/check-rounds-commands.ts';
import { withBackupLock } from '../../backup/repository/repository-commands.ts';
import { repairFiles } from '../../backup/restore/repair-commands.ts';
import { type CommandDependencies, defineOperatorCommand } from '../command.ts';
import { backupTimeoutMs, makeOfflineBackupDependencies } from './backup/backup-arguments.ts';
import { formatBytes } from './backup/sizes.ts';
import { openOwnStorage } from './retention.ts';

async function openBackupDependencies(parts: CommandDependencies) {
  const store = await parts.store.upToDate();
  return {
    ...makeOfflineBackupDependencies(parts),
    store,
    storage: await openOwnStorage(store, parts.settings),
    log: parts.log,
  };
}

export const verifyStorageCommand = defineOperatorCommand({
  name: 'storage verify',
  summary: 'read every stored file and compare it with its SHA-256; on failure list the files and exit with 1',
  answerWithinMs: backupTimeoutMs,
  run: async (parts) => {
    const opened = await openBackupDependencies(parts);
    const { damaged, ...counts } = await checkAllFiles(opened, parts.clock(), opened.report);
    return { right: damaged.length === 0, place: opened.storage.place, ...counts, damaged };
  },
  succeeded: ({ right }) => right,
  format: ({ right, place, files, bytes, damaged }) =>
    right
      ? `${place} has ${files} file(s), all intact (${formatBytes(bytes)}).`
      : [
          `Of ${files} file(s) in ${place}, ${damaged.length} are damaged or missing:`,
          ...damaged.map(({ key, reason }) => `  ${key} ${reason}`),
          'Run "storage repair" to restore them from the backups.',
        ].join('\n'),
});

export const repairStorageCommand = defineOperatorCommand({
  name: 'storage repair',
  summary: 'restore damaged and missing files from the backups',
  answerWithinMs: backupTimeoutMs,
  run: async (parts) => {
    const opened = await openBackupDependencies(parts);
    const { repository, store } = opened;
    const incoming = openIncomingFolder(parts.settings);
    const repaired = await withBackupLock(repository, () => repairFiles({ ...opened, incoming }));
    const acts = repaired.restored.map((key) => ({ subject: key }));
    if (acts.length > 0) await store.transact((writer) => parts.record(writer, acts));
    return { shelf: repository, ...repaired };
  },
  succeeded: ({ lost }) => lost.length === 0,
  audit: ({ restored, lost }) => ({ restored, lost }),
  format: ({ shelf: repository, restored, lost }) =>
    [
      restored.length === 0 ? 'No file was restored.' : `Restored ${restored.join(', ')}.`,
      ...(lost.length === 0
        ? ['No file is known to be damaged or missing; "storage verify" reads them all.']
        : [
            `The backups in ${repository} have no intact copy of ${lost.join(', ')}. Set PLATFORM_BACKUP_DIR to another folder.`,
          ]),
    ].join('\n'),
});
