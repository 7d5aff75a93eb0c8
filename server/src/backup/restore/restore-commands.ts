import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStorage } from '../../files/storage.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { findStoredClock } from '../../store/clock/stored-clock.ts';
import type { Store } from '../../store/store.ts';
import { readJournalSince } from '../journal-queries.ts';
import { refuseWithoutDiskSpace } from '../make/make-commands.ts';
import { makePrivateFolder, writeFileAtomically } from '../repository/durable-commands.ts';
import { writeKeyFile } from '../repository/key-commands.ts';
import type { ListedFile, Manifest } from '../repository/manifest.ts';
import { BackupRefusal } from '../repository/refusal.ts';
import { loadManifest, type RequiredSigner } from '../repository/repository-queries.ts';
import { loadDatabase, readListedFiles, requireIntactBackup, requireKnownMigrations } from './load-commands.ts';
import { finishRestoredDatabase } from './replay-commands.ts';
import { type FileRestoreContext, restoreFiles, unfinishedRestorePath } from './restore-files-commands.ts';
import { openRestoreTarget, type RestoreTarget } from './target-commands.ts';

export interface RestoreDependencies extends FileRestoreContext {
  readonly settings: Settings;
  readonly trust: RequiredSigner;
  /** The secret of the backup key; undefined if it is unknown. */
  readonly secret: string | undefined;
}

export interface RestoreOptions {
  readonly name: string;
  /** Whether the current content of the installation may be deleted. */
  readonly mayReplace: boolean;
  /** Whether tokens are kept; undefined is only allowed if the journal continues from the backup. */
  readonly tokens: 'keep' | 'revoke' | undefined;
  /** Records the restore in the restored database. */
  readonly record: (store: Store, name: string) => Promise<void>;
}

/** Restores a backup into the installation with these settings; its servers must be stopped. */
export async function restoreBackup(parts: RestoreDependencies, choice: RestoreOptions) {
  const { settings, repository, trust, storage, report } = parts;
  const manifest = await loadManifest(repository, choice.name, trust);
  const folder = join(repository, manifest.name);
  requireKnownMigrations(manifest);
  await requireIntactBackup(folder, manifest);
  const listed = await readListedFiles(folder, manifest);
  const { entries, gaps } = await readJournalSince(repository, manifest, trust);
  if (gaps.length > 0 && choice.tokens === undefined) throw journalMissing(manifest, gaps);
  await makePrivateFolder(settings.dataDir);
  const target = await openRestoreTarget(settings);
  const arrived: string[] = [];
  let isPublished = false;
  try {
    if (!choice.mayReplace) await requireEmpty(target, storage, listed);
    requireRoom(settings, manifest);
    await writeFileAtomically(unfinishedRestorePath(settings.dataDir), `${manifest.name}\n`);
    await restoreFiles(parts, listed, arrived);
    await loadDatabase(await target.openSession(), folder, manifest, listed, report);
    const store = await target.openStore();
    const finish = { storage, secret: parts.secret, tokens: choice.tokens, entries, report };
    const { left, ...outcome } = await requireOwnClock(store, settings)
      .then(async () => {
        const finished = await finishRestoredDatabase(store, finish);
        await choice.record(store, manifest.name);
        return finished;
      })
      .finally(() => store.close());
    await target.publish();
    isPublished = true;
    for (const key of left) await storage.remove(key);
    if (parts.secret !== undefined) await writeKeyFile(settings.dataDir, parts.secret);
    return { manifest, gaps, ...outcome };
  } finally {
    await target.close();
    if (!isPublished) for (const key of arrived) await storage.remove(key);
    await rm(unfinishedRestorePath(settings.dataDir), { force: true });
  }
}

function journalMissing(manifest: Manifest, gaps: readonly string[]): BackupRefusal {
  const message = [
    `The revocation journal does not continue from this backup: ${gaps.join('; ')}.`,
    `Revocations after ${manifest.created_at} may be undone: revoked and rotated tokens work again, and agents that were suspended, made private or erased are restored to their earlier state.`,
    'Copy the folder "journal" of the lost installation next to the backups, or choose: --keep-tokens restores all tokens, --revoke-tokens revokes all tokens, so that no agent in the backup can authenticate.',
  ].join('\n');
  return new BackupRefusal('journal_missing', message);
}

// Refuses a backup whose kind of clock differs from these settings, because the server would not start.
async function requireOwnClock(store: Store, { clock }: Settings): Promise<void> {
  const { kind = 'system' } = await findStoredClock(store);
  if (kind === clock) return;
  const message =
    kind === 'test'
      ? 'This backup is of a database with a test clock. Restore it with PLATFORM_CLOCK=test, into a separate installation.'
      : 'This backup is of a database with the system clock. Unset PLATFORM_CLOCK to restore it.';
  throw new BackupRefusal('foreign_clock', message);
}

async function requireEmpty(target: RestoreTarget, storage: FileStorage, listed: ReadonlyMap<string, ListedFile>) {
  const refuse = (what: string) => {
    const message = `This installation is not empty: ${what}. Choose another PLATFORM_DATA_DIR or DATABASE_URL, or use --replace to delete its content.`;
    return new BackupRefusal('not_empty', message);
  };
  if (!(await target.isEmpty())) throw refuse('its database has content');
  for await (const key of storage.list())
    if (!listed.has(key)) throw refuse(`${storage.place} has files that the backup does not have`);
}

// Rows and indexes need several times the space of the compressed tables.
const rowsFactor = 6;

function requireRoom({ dataDir }: Settings, { tables, files }: Manifest): void {
  const compressed = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  refuseWithoutDiskSpace(dataDir, files.bytes + rowsFactor * compressed);
}
