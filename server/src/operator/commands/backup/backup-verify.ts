import { verifyBackup } from '../../../backup/verify-commands.ts';
import { defineOperatorCommand, makeArgumentsSchema } from '../../command.ts';
import {
  BackupName,
  backupTimeoutMs,
  findSignatureKey,
  makeOfflineBackupDependencies,
  signatureKeyArguments,
} from './backup-arguments.ts';
import { summarizeBackup } from './sizes.ts';

export const verifyBackupCommand = defineOperatorCommand({
  name: 'backup verify',
  summary: 'restore a backup into a temporary database, verify its ledger and compare its files with its rows',
  arguments: makeArgumentsSchema({ backup: BackupName, ...signatureKeyArguments }),
  answerWithinMs: backupTimeoutMs,
  run: async (parts, { backup, keyFile, unsigned: isUnsigned = false }) => {
    const { trust } = await findSignatureKey(parts, { keyFile, isUnsigned });
    const { manifest, checked, verifiedAt } = await verifyBackup(
      { ...makeOfflineBackupDependencies(parts), trust },
      backup,
    );
    const { faultCount: fault_count, faults, ...counts } = checked;
    return {
      right: fault_count === 0,
      ...summarizeBackup(manifest),
      ...counts,
      fault_count,
      faults,
      verified_at: verifiedAt,
    };
  },
  succeeded: ({ right }) => right,
  format: ({ right, name, rows, files, transactions, lost_files, fault_count, faults, verified_at }) =>
    right
      ? [
          `The backup ${name} is intact: ${rows} rows, ${files} files and ${transactions} ledger transactions.`,
          ...(lost_files === 0 ? [] : [`It lacks ${lost_files} file(s) that the storage had lost.`]),
          ...(verified_at === null ? ['Its origin was not verified, so the verification is not recorded.'] : []),
        ].join('\n')
      : [
          `The ledger of the backup ${name} has ${fault_count} fault(s):`,
          ...faults.map(({ kind, id, message }) => `  ${kind} ${id}: ${message}`),
        ].join('\n'),
});
