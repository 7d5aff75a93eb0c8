import { chmodSync, mkdirSync } from 'node:fs';
import { errorCodeOf } from '../platform/error-facts.ts';
import type { Settings } from '../platform/settings/settings.ts';
import {
  beginNewDatabase,
  embeddedDatabasePaths,
  hasEmbeddedDatabase,
  markDatabaseComplete,
  removeUnfinishedRestore,
} from './embedded/database-folder.ts';
import { lockFolder } from './embedded/folder-lock.ts';
import { freeBytesAt, refuseWritesOnFullDisk } from './embedded/free-space.ts';
import { requireKnownSchema } from './migrate.ts';
import { openPgliteStore, openPostgresStore } from './open-store.ts';
import { sessionSettings } from './orm.ts';
import { findPooling, type Pooling } from './postgres/find-pooling.ts';
import { requirePooling } from './postgres/require-pooling.ts';
import type { StatementWatch } from './statements/watched-statements.ts';
import type { MigrationReporter, Store } from './store.ts';
import { isDatabaseUnavailable } from './unavailable.ts';

/** How long a second process on an embedded database waits for the first one to exit. */
const waitForFolderMs = 10_000;

/** Whether there is a database to open: PostgreSQL, or an embedded one that already exists. */
export function hasDatabase({ databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>): boolean {
  return databaseUrl !== undefined || hasEmbeddedDatabase(dataDir);
}

/** Opens the configured PostgreSQL, or the embedded database in the data folder, which this process then locks. */
export async function openConfiguredStore(
  place: Pick<Settings, 'databaseUrl' | 'directDatabaseUrl' | 'databaseConnections' | 'dataDir'>,
  onConnectionError: (error: Error) => void,
  watch?: StatementWatch,
): Promise<Store> {
  const { databaseUrl, directDatabaseUrl: directUrl, databaseConnections: connectionsMax } = place;
  if (databaseUrl !== undefined) {
    const pooling = await findUsablePooling(databaseUrl, directUrl !== undefined);
    return await openPostgresStore(databaseUrl, onConnectionError, { connectionsMax, directUrl, pooling, watch });
  }
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(place.dataDir, waitForFolderMs);
  try {
    removeUnfinishedRestore(place.dataDir);
    const folder = embeddedDatabasePaths(place.dataDir).current;
    beginNewDatabase(folder);
    // The database's log contains hashes of tokens, and the data folder itself may be accessible to other users.
    closeToOthers(folder);
    const embedded = await openPgliteStore(folder, watch);
    markDatabaseComplete(folder);
    const store = refuseWritesOnFullDisk(embedded, () => freeBytesAt(place.dataDir));
    const close = async () => {
      await store.close();
      lock.release();
    };
    return { ...store, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function findUsablePooling(databaseUrl: string, hasDirectUrl: boolean): Promise<Pooling['mode']> {
  try {
    const pooling = await findPooling(databaseUrl, sessionSettings);
    requirePooling(pooling, hasDirectUrl);
    return pooling.mode;
  } catch (error) {
    // The first query will report that the database is unavailable.
    if (isDatabaseUnavailable(error)) return 'none';
    throw error;
  }
}

function closeToOthers(folder: string): void {
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    // Another user owns the folder, and only the owner may change its mode.
    if (errorCodeOf(error) !== 'EPERM') throw error;
  }
}

/** Migrates the schema, or reports that it is outdated and how to migrate it. */
export async function ensureSchema(
  store: Store,
  mode: 'on-start' | 'manual',
  report: MigrationReporter,
): Promise<readonly string[]> {
  if (mode === 'on-start') return await store.migrate(report);
  const state = await store.schema();
  requireKnownSchema(state);
  if (state.pending.length > 0) throw new Error(describePendingMigrations(state.pending));
  return [];
}

export function describePendingMigrations(pending: readonly string[]): string {
  return `The database lacks ${pending.length} migration(s): ${pending.join(', ')}. Run "operator migrate", or start once with PLATFORM_MIGRATE=on-start.`;
}
