import { join } from 'node:path';
import { checkLedger } from '../ledger/ledger-check-queries.ts';
import { openPgliteBulkSession } from '../store/bulk-session.ts';
import { openPgliteStore } from '../store/open-store.ts';
import type { ProgressReporter } from './make/dump-commands.ts';
import { objectPath } from './repository/folders.ts';
import type { ListedFile, Manifest } from './repository/manifest.ts';
import { requireDigest } from './repository/stream-commands.ts';
import { loadDatabase, readListedFiles, requireIntactBackup, requireKnownMigrations } from './restore/load-commands.ts';

/** Refuses a backup whose stored files differ from the recorded digests. */
async function requireObjects(
  repository: string,
  listed: ReadonlyMap<string, ListedFile>,
  report: ProgressReporter,
): Promise<void> {
  const checked = new Set<string>();
  for (const { key, bytes, sha256 } of listed.values()) {
    if (checked.has(sha256)) continue;
    checked.add(sha256);
    const path = join(repository, objectPath(sha256));
    // The message names the file to remove, because a backup does not copy a file that the repository already has.
    await requireDigest(path, `${path} (remove it, and the next backup copies ${key} again)`, { bytes, sha256 });
    if (checked.size % 500 === 0) report(`files checked: ${checked.size} of ${listed.size}`);
  }
}

/** Restores the tables of a backup into a temporary embedded database and checks their content. */
export async function verifyBackupContent(
  place: { readonly repository: string; readonly scratch: string },
  manifest: Manifest,
  report: ProgressReporter,
) {
  const folder = join(place.repository, manifest.name);
  requireKnownMigrations(manifest);
  await requireIntactBackup(folder, manifest);
  const listed = await readListedFiles(folder, manifest);
  await requireObjects(place.repository, listed, report);
  const database = join(place.scratch, 'database');
  await loadDatabase(await openPgliteBulkSession(database), folder, manifest, listed, report);
  const store = await openPgliteStore(database);
  try {
    return await checkLedger(store, { report: ({ table, checked }) => report(`verified ${checked} ${table}`) });
  } finally {
    await store.close();
  }
}
