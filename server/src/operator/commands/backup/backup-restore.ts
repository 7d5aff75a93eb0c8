import { openIncomingFolder, openStorage } from '../../../attachments/attachments-setup.ts';
import { BackupRefusal } from '../../../backup/repository/refusal.ts';
import { withBackupLock } from '../../../backup/repository/repository-commands.ts';
import { resolveBackupName } from '../../../backup/repository/repository-queries.ts';
import { restoreBackup } from '../../../backup/restore/restore-commands.ts';
import { defineOperatorCommand, flagOption, makeArgumentsSchema } from '../../command.ts';
import { OperatorFailure } from '../../failure.ts';
import { formatCard, formatTime } from '../../format.ts';
import {
  BackupName,
  backupTimeoutMs,
  findSignatureKey,
  makeOfflineBackupDependencies,
  recordBackupAct,
  signatureKeyArguments,
} from './backup-arguments.ts';
import { summarizeBackup } from './sizes.ts';

export const restoreBackupCommand = defineOperatorCommand({
  name: 'backup restore',
  summary: 'restore a backup into this installation; its servers must be stopped',
  arguments: makeArgumentsSchema({
    backup: BackupName,
    ...signatureKeyArguments,
    replace: flagOption('delete the current content of this installation'),
    keepTokens: flagOption('without a journal: restore all tokens'),
    revokeTokens: flagOption('revoke all tokens: no agent in the backup can authenticate'),
  }),
  answerWithinMs: backupTimeoutMs,
  run: async (parts, args) => {
    const { backup, keyFile, unsigned: isUnsigned = false, replace = false, keepTokens, revokeTokens } = args;
    if (keepTokens && revokeTokens)
      throw new OperatorFailure('invalid_input', 'Choose --keep-tokens or --revoke-tokens.');
    if (parts.server !== null) {
      const message = 'A server runs on this data folder. Stop it, and all servers of its database, then restore.';
      throw new BackupRefusal('server_runs', message);
    }
    const { settings } = parts;
    const found = await findSignatureKey(parts, { keyFile, isUnsigned });
    const { repository, report } = makeOfflineBackupDependencies(parts);
    const tokens = keepTokens ? 'keep' : revokeTokens ? 'revoke' : undefined;
    const { manifest, gaps, replayed, endedTokens, faultCount, missing } = await withBackupLock(repository, async () =>
      restoreBackup(
        {
          ...found,
          settings,
          repository,
          report,
          storage: openStorage(settings),
          incoming: openIncomingFolder(settings),
        },
        {
          name: await resolveBackupName(repository, backup),
          mayReplace: replace,
          tokens,
          record: (store, name) => recordBackupAct(parts, store, name),
        },
      ),
    );
    return {
      ...summarizeBackup(manifest),
      journal: { replayed, gaps },
      ended_tokens: endedTokens,
      ledger_faults: faultCount,
      missing_files: missing,
    };
  },
  audit: ({ name, rows, files, journal, ended_tokens }) => ({ backup: name, rows, files, ...journal, ended_tokens }),
  succeeded: ({ ledger_faults }) => ledger_faults === 0,
  format: ({ name, created_at, rows, files, journal, ended_tokens, ledger_faults, missing_files }) =>
    [
      formatCard([
        ['backup', name],
        ['begun', formatTime(created_at)],
        ['rows', String(rows)],
        ['files', String(files)],
        [
          'revoked since',
          `${journal.replayed} revocation(s) from the journal${journal.gaps.length > 0 ? ', which has gaps' : ''}`,
        ],
        ...(ended_tokens > 0 ? [['ended tokens', String(ended_tokens)] as const] : []),
      ]),
      '',
      ledger_faults === 0
        ? 'Restored; the ledger is consistent. Changes made after the backup began are lost. Start the server.'
        : `Restored, but the ledger has ${ledger_faults} inconsistencies: "ledger verify" lists them.`,
      ...(missing_files.length === 0 ? [] : [`The backup does not have these files: ${missing_files.join(', ')}.`]),
    ].join('\n'),
});
