import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { fileRemovalLockName } from '../store/postgres/advisory-locks.ts';
import type { Store } from '../store/store.ts';
import type { RevocationJournal } from './journal-commands.ts';
import type { ProgressReporter } from './make/dump-commands.ts';
import { type BackupSource, refuseWithoutDiskSpace } from './make/make-commands.ts';
import { backupNamePattern, makeBackupName } from './repository/folders.ts';
import { ensureKeySecret } from './repository/key-commands.ts';
import type { Manifest } from './repository/manifest.ts';
import { makeUnfinishedFolder, publishBackup, withBackupLock } from './repository/repository-commands.ts';
import { runBackupWorker } from './run-worker-commands.ts';

export interface BackupDependencies {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: Pick<RevocationJournal, 'positions'>;
  /** The backup folder. */
  readonly repository: string;
  readonly report: ProgressReporter;
}

/** Backs up database and files while the server runs. The backup contains everything committed before it began. */
export async function createBackup(parts: BackupDependencies): Promise<Manifest> {
  const { settings, store, repository, report } = parts;
  return await withBackupLock(repository, async () => {
    const secret = await ensureKeySecret(store, settings.dataDir);
    const createdAt = parts.clock();
    const number = (await highestNumber(repository)) + 1;
    const name = makeBackupName(number, createdAt);
    const folder = await makeUnfinishedFolder(repository, 'new');
    const scratch = await makeUnfinishedFolder(repository, 'scratch');
    const release = store.processLocks.lock(fileRemovalLockName);
    try {
      // The positions are read before the snapshot, so that they precede every revocation that the snapshot lacks.
      const journal = await parts.journal.positions();
      const source = await openSource(parts, scratch);
      const plan = { repository, folder, name, number, createdAt: createdAt.toISOString(), secret, journal, source };
      const manifest = await runBackupWorker<Manifest>({ work: 'make', plan, settings }, report);
      await publishBackup(repository, folder, name);
      return manifest;
    } finally {
      release();
      for (const path of [folder, scratch]) await rm(path, { recursive: true, force: true });
    }
  });
}

async function openSource(
  { settings, store, repository, report }: BackupDependencies,
  scratch: string,
): Promise<BackupSource> {
  if (settings.databaseUrl !== undefined) return { databaseUrl: settings.directDatabaseUrl ?? settings.databaseUrl };
  const copy = join(scratch, 'database');
  // The database is copied, and its tables are then dumped from the copy, so twice its size is needed.
  refuseWithoutDiskSpace(repository, 2 * (await sizeOfFolder(join(settings.dataDir, 'database'))));
  report('copying the embedded database');
  await store.copyFolder(copy);
  return { copy };
}

async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

// Includes backups whose manifest cannot be read.
async function highestNumber(repository: string): Promise<number> {
  const names = (await readdir(repository)).filter((name) => backupNamePattern.test(name));
  return Math.max(0, ...names.map((name) => Number.parseInt(name, 10)));
}
