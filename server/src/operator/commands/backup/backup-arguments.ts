import { resolve } from 'node:path';
import Type from 'typebox';
import { backupFolder } from '../../../backup/repository/folders.ts';
import { backupKeyPath, makeBackupKey, readKeyFile } from '../../../backup/repository/key-queries.ts';
import { BackupRefusal } from '../../../backup/repository/refusal.ts';
import type { RequiredSigner } from '../../../backup/repository/repository-queries.ts';
import type { Store } from '../../../store/store.ts';
import { type CommandDependencies, flagOption } from '../../command.ts';
import { OperatorFailure } from '../../failure.ts';
import type { OperatorDependencies } from '../../parts.ts';

export const BackupName = Type.String({
  title: 'backup',
  minLength: 1,
  maxLength: 64,
  description: 'the name of a backup, or "newest"',
});

/** The time limit of backup commands, whose duration depends on the size of the database and the files. */
export const backupTimeoutMs = 6 * 60 * 60_000;

export async function openBackupDependencies(parts: OperatorDependencies) {
  const store = await parts.store.asItIs();
  if (store === undefined) {
    const message = `There is no database in ${resolve(parts.settings.dataDir)}. Set PLATFORM_DATA_DIR to the folder of the server.`;
    throw new OperatorFailure('no_database', message);
  }
  return { ...makeOfflineBackupDependencies(parts), store };
}

/** These dependencies are for backup commands that need no database. */
export function makeOfflineBackupDependencies({ settings, clock, note }: OperatorDependencies) {
  return { settings, clock, repository: backupFolder(settings), report: reporter(note) };
}

const reportEveryMs = 1_000;

/** Reports at most one step per second, because a backup may have thousands of files. */
function reporter(note: OperatorDependencies['note']) {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (text: string) => {
    if (performance.now() - reportedMs < reportEveryMs) return;
    reportedMs = performance.now();
    note(text);
  };
}

/** Without a `keyFile`, the key of the installation is used. */
interface KeyChoice {
  readonly keyFile: string | undefined;
  readonly isUnsigned: boolean;
}

export async function findSignatureKey(
  { settings }: Pick<OperatorDependencies, 'settings'>,
  { keyFile, isUnsigned }: KeyChoice,
): Promise<{ readonly trust: RequiredSigner; readonly secret: string | undefined }> {
  const path = keyFile === undefined ? backupKeyPath(settings.dataDir) : keyFile;
  const secret = await readKeyFile(path);
  if (isUnsigned) return { trust: 'unsigned', secret };
  if (secret !== undefined) return { trust: makeBackupKey(secret), secret };
  const message = `There is no key at ${path}. Copy backup.key from the installation that made the backups to this path, or pass it with --key-file. With --unsigned no key is needed; it detects damage but not forgery.`;
  throw new BackupRefusal('backup_key_missing', message);
}

export const signatureKeyArguments = {
  keyFile: Type.Optional(
    Type.String({
      title: 'path',
      maxLength: 4_096,
      description: 'the key of the backups; default: backup.key in the data folder',
    }),
  ),
  unsigned: flagOption('accept a backup whose origin is not verified'),
};

/** Records nothing if the database has an earlier schema, which cannot store the act. */
export async function recordBackupAct({ record }: CommandDependencies, store: Store, name: string): Promise<void> {
  if ((await store.schema()).pending.length > 0) return;
  await store.transact((writer) => record(writer, [{ subject: name }]));
}
