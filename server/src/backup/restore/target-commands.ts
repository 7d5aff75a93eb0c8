import { isDatabaseUsedByServer } from '../../events/slots/slot-queries.ts';
import { errorCodeOf } from '../../platform/error-facts.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import {
  type BulkSession,
  openPgliteBulkSession,
  openPostgresBulkSession,
  quoteIdentifier,
  withSchema,
} from '../../store/bulk-session.ts';
import {
  embeddedDatabasePaths,
  hasEmbeddedDatabase,
  removeUnfinishedRestore,
  replaceEmbeddedDatabase,
} from '../../store/embedded/database-folder.ts';
import { lockFolder } from '../../store/embedded/folder-lock.ts';
import { openPgliteStore, openPostgresStore } from '../../store/open-store.ts';
import { restoreLockId } from '../../store/postgres/advisory-locks.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables/all-tables.ts';
import { BackupRefusal } from '../repository/refusal.ts';

/** A new database, which replaces the installation's database when the restore is complete. */
export interface RestoreTarget {
  /** Whether the installation's current database has no content that the restore would delete. */
  isEmpty(): Promise<boolean>;
  openSession(): Promise<BulkSession>;
  openStore(): Promise<Store>;
  /** Atomically replaces the installation's database. */
  publish(): Promise<void>;
  /** Deletes the new database unless it was published, and releases all resources. */
  close(): Promise<void>;
}

/** Tables that may have rows even in an unused installation. */
const withoutContent = new Set(['platform_facts', 'platform_choices', 'file_usage']);

const waitForFolderMs = 10_000;

export async function openRestoreTarget(settings: Settings): Promise<RestoreTarget> {
  const { databaseUrl, directDatabaseUrl, dataDir } = settings;
  if (databaseUrl === undefined) return await openEmbeddedTarget(dataDir);
  return await openPostgresTarget(directDatabaseUrl ?? databaseUrl);
}

async function openEmbeddedTarget(dataDir: string): Promise<RestoreTarget> {
  const lock = await lockFolder(dataDir, waitForFolderMs);
  removeUnfinishedRestore(dataDir);
  const { current, restoring } = embeddedDatabasePaths(dataDir);
  return {
    isEmpty: async () => {
      if (!hasEmbeddedDatabase(dataDir)) return true;
      const session = await openPgliteBulkSession(current);
      return await hasNoContent(session).finally(() => session.close());
    },
    openSession: () => openPgliteBulkSession(restoring),
    openStore: () => openPgliteStore(restoring),
    publish: () => replaceEmbeddedDatabase(dataDir),
    close: async () => {
      removeUnfinishedRestore(dataDir);
      lock.release();
    },
  };
}

const restoringSchema = 'agent_platform_restoring';

const insufficientPrivilege = '42501';
const mayNotCreate =
  'The user of DATABASE_URL may not create the schema in which a restore builds the tables. Grant it "create" on the database.';

async function openPostgresTarget(databaseUrl: string): Promise<RestoreTarget> {
  const session = await openPostgresBulkSession(databaseUrl);
  const drop = () => session.query(`drop schema if exists ${restoringSchema} cascade`);
  try {
    const [lock] = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [restoreLockId]);
    if (lock?.taken !== true) throw new BackupRefusal('backup_busy', 'Another restore into this database is running.');
    await requireNoServer(session);
    await drop();
    await session.query(`create schema ${restoringSchema}`);
  } catch (error) {
    await session.close();
    throw errorCodeOf(error) === insufficientPrivilege
      ? new BackupRefusal('backup_failed', mayNotCreate, error)
      : error;
  }
  return {
    isEmpty: () => hasNoContent(session),
    openSession: () => openPostgresBulkSession(databaseUrl, restoringSchema),
    openStore: () => openPostgresStore(withSchema(databaseUrl, restoringSchema), () => undefined),
    publish: () => moveTables(session),
    close: async () => {
      await drop();
      await session.close();
    },
  };
}

async function requireNoServer(session: BulkSession): Promise<void> {
  if (!(await isDatabaseUsedByServer(session.query))) return;
  throw new BackupRefusal('server_runs', 'A server uses this database. Stop all its servers, wait 10 s, then restore.');
}

async function moveTables(session: BulkSession): Promise<void> {
  await session.query('begin');
  await requireNoServer(session);
  const restored = await session.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = '${restoringSchema}'::regnamespace and relkind in ('r', 'p')`,
  );
  const [base] = await session.query<{ name: string }>('select quote_ident(current_schema()) as name');
  const known = [...tables.map(({ meta }) => meta.tableName), 'migrations'];
  await session.query(`drop table if exists ${known.map(quoteIdentifier).join(', ')} cascade`);
  for (const { name } of restored)
    await session.query(`alter table ${restoringSchema}.${quoteIdentifier(name)} set schema ${base?.name}`);
  await session.query('commit');
}

async function hasNoContent(session: BulkSession): Promise<boolean> {
  for (const { meta } of tables) {
    const name = meta.tableName;
    if (withoutContent.has(name) || !(await hasTable(session, name))) continue;
    const [row] = await session.query<{ found: boolean }>(
      `select exists (select 1 from ${quoteIdentifier(name)}) and relpersistence = 'p' as found from pg_class where oid = $1::regclass`,
      [quoteIdentifier(name)],
    );
    if (row?.found === true) return false;
  }
  return true;
}

async function hasTable(session: BulkSession, name: string): Promise<boolean> {
  const [row] = await session.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    quoteIdentifier(name),
  ]);
  return row?.found === true;
}
