import { resolve } from 'node:path';
import Type from 'typebox';
import { backupFolder } from '../../../backup/repository/folders.ts';
import { keyPath, readKeyFile, toKey } from '../../../backup/repository/key-queries.ts';
import { BackupRefusal } from '../../../backup/repository/refusal.ts';
import type { Trust } from '../../../backup/repository/repository-queries.ts';
import type { Store } from '../../../store/store.ts';
import { type CommandParts, Flag } from '../../command.ts';
import { OperatorFailure } from '../../failure.ts';
import type { OperatorParts } from '../../parts.ts';

/** A backup, by its name. */
export const BackupText = Type.String({
  title: 'backup',
  minLength: 1,
  maxLength: 64,
  description: 'the name of a backup, or "newest"',
});

/** Backups take as long as their database and files are large. */
export const backupWithinMs = 6 * 60 * 60_000;

/** The parts of a command on backups that needs the database. */
export async function openParts(parts: OperatorParts) {
  const store = await parts.store.asItIs();
  if (store === undefined) {
    const message = `There is no database in ${resolve(parts.settings.dataDir)}. Name the folder of the server with PLATFORM_DATA_DIR.`;
    throw new OperatorFailure('no_database', message);
  }
  return { ...withoutDatabase(parts), store };
}

/** The parts of a command on backups alone. */
export function withoutDatabase({ settings, clock, note }: OperatorParts) {
  return { settings, clock, repository: backupFolder(settings), report: reporter(note) };
}

const reportEveryMs = 1_000;

/** Reports only some steps, because a backup may have thousands of files. */
function reporter(note: OperatorParts['note']) {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (text: string) => {
    if (performance.now() - reportedMs < reportEveryMs) return;
    reportedMs = performance.now();
    note(text);
  };
}

/** How a command knows the origin of backups: by a file, or by what this installation has. */
interface KeyChoice {
  readonly keyFile: string | undefined;
  readonly isUnsigned: boolean;
}

/** Finds the key that backups must be signed with. */
export async function findTrust(
  { settings }: Pick<OperatorParts, 'settings'>,
  { keyFile, isUnsigned }: KeyChoice,
): Promise<{ readonly trust: Trust; readonly secret: string | undefined }> {
  const path = keyFile === undefined ? keyPath(settings.dataDir) : keyFile;
  const secret = await readKeyFile(path);
  if (isUnsigned) return { trust: 'unsigned', secret };
  if (secret !== undefined) return { trust: toKey(secret), secret };
  const message = `There is no key at ${path}. Copy the file backup.key of the installation that made the backups there, or name it with --key-file. With --unsigned no key is needed; it detects damage but not forgery.`;
  throw new BackupRefusal('backup_key_missing', message);
}

/** The options that define how the origin of a backup is verified. */
export const keyArguments = {
  keyFile: Type.Optional(
    Type.String({
      title: 'path',
      maxLength: 4_096,
      description: 'the key of the backups; default: backup.key in the data folder',
    }),
  ),
  unsigned: Flag('accept a backup whose origin is not verified'),
};

/** Records an act on a backup, unless the database is of an earlier version, which has no place for it. */
export async function recordAct({ record }: CommandParts, store: Store, name: string): Promise<void> {
  if ((await store.schema()).pending.length > 0) return;
  await store.transact((writer) => record(writer, [{ subject: name }]));
}
