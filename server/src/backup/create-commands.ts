import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { fileRemovalTurn } from '../store/postgres/advisory-locks.ts';
import type { Store } from '../store/store.ts';
import type { Journal } from './journal-commands.ts';
import type { Report } from './make/dump-commands.ts';
import { type BackupSource, refuseWithoutRoom } from './make/make-commands.ts';
import { runWorker } from './run-worker-commands.ts';
import { backupName, makeBackupName } from './shelf/folders.ts';
import { ensureKeySecret } from './shelf/key-commands.ts';
import type { Manifest } from './shelf/manifest.ts';
import { makeUnfinished, publish, withShelf } from './shelf/shelf-commands.ts';

/** What backups are made with. */
export interface BackupParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'positions'>;
  /** The folder of backups. */
  readonly shelf: string;
  readonly report: Report;
}

/** Makes a backup of database and files while the server runs. What was committed before it began is inside. */
export async function createBackup(parts: BackupParts): Promise<Manifest> {
  const { settings, store, shelf, report } = parts;
  return await withShelf(shelf, async () => {
    const secret = await ensureKeySecret(store, settings.dataDir);
    const createdAt = parts.clock();
    const number = (await highestNumber(shelf)) + 1;
    const name = makeBackupName(number, createdAt);
    const folder = await makeUnfinished(shelf, 'new');
    const scratch = await makeUnfinished(shelf, 'scratch');
    const release = store.held.hold(fileRemovalTurn);
    try {
      // Before the snapshot: an act that it misses is then after these positions.
      const journal = await parts.journal.positions();
      const source = await openSource(parts, scratch);
      const plan = { shelf, folder, name, number, createdAt: createdAt.toISOString(), secret, journal, source };
      const manifest = await runWorker<Manifest>({ work: 'make', plan, settings }, report);
      await publish(shelf, folder, name);
      return manifest;
    } finally {
      release();
      for (const path of [folder, scratch]) await rm(path, { recursive: true, force: true });
    }
  });
}

async function openSource({ settings, store, shelf, report }: BackupParts, scratch: string): Promise<BackupSource> {
  if (settings.databaseUrl !== undefined) return { databaseUrl: settings.directDatabaseUrl ?? settings.databaseUrl };
  const copy = join(scratch, 'database');
  // The copy, and the tables from it.
  refuseWithoutRoom(shelf, 2 * (await sizeOfFolder(join(settings.dataDir, 'database'))));
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

// Also of those whose manifest cannot be read.
async function highestNumber(shelf: string): Promise<number> {
  const names = (await readdir(shelf)).filter((name) => backupName.test(name));
  return Math.max(0, ...names.map((name) => Number.parseInt(name, 10)));
}
