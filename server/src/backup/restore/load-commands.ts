import { errorCodeOf } from '../../platform/error-facts.ts';
import { type BulkSession, quoteIdentifier } from '../../store/bulk-session.ts';
import { replaceFormerMigrations } from '../../store/migrations/adopt-baseline.ts';
import { migrations } from '../../store/migrations/index.ts';
import { tables } from '../../store/tables/all-tables.ts';
import { type ProgressReporter, readReferencedFiles, tablePath } from '../make/dump-commands.ts';
import { fileListPath } from '../make/file-copy-commands.ts';
import { type ListedFile, type Manifest, parseListedFile } from '../repository/manifest.ts';
import { BackupRefusal, damagedBackupRefusal } from '../repository/refusal.ts';
import { readCompressed, readLines, requireDigest } from '../repository/stream-commands.ts';

/** Refuses a backup whose tables or file list differ from the recorded digests. Stored files are checked when read. */
export async function requireIntactBackup(folder: string, manifest: Manifest): Promise<void> {
  for (const { name, bytes, sha256 } of manifest.tables)
    await requireDigest(tablePath(folder, name), `tables/${name}.copy.gz`, { bytes, sha256 });
  const { list_bytes: bytes, sha256 } = manifest.files;
  await requireDigest(fileListPath(folder), 'files.txt.gz', { bytes, sha256 });
}

/** Refuses a backup of a later version; a backup of an earlier version is migrated after loading. */
export function requireKnownMigrations({ migrations: applied, server_version }: Manifest): void {
  const isKnown = replaceFormerMigrations(applied).every((name, at) => migrations[at]?.name === name);
  if (isKnown && applied.length > 0) return;
  const message = `The backup was made by version ${server_version}, whose schema this version does not know (${applied.at(-1)}). Restore it with that version or a later one.`;
  throw new BackupRefusal('backup_newer', message);
}

/**
 * Loads the rows of a backup into the session's new database, and checks that they refer to exactly the listed files.
 * Closes the session.
 */
export async function loadDatabase(
  session: BulkSession,
  folder: string,
  manifest: Manifest,
  listed: ReadonlyMap<string, ListedFile>,
  report: ProgressReporter,
): Promise<void> {
  try {
    await loadTables(session, folder, manifest, report);
    await requireFilesOfRows(session, listed, manifest.lost_files);
    await session.migrate();
  } finally {
    await session.close();
  }
}

/**
 * Creates the tables with the backup's schema, and fills them in one transaction. Adds foreign keys after the rows,
 * because they are circular. Adding them checks every reference, and building a unique index checks its keys.
 */
async function loadTables(
  session: BulkSession,
  folder: string,
  manifest: Manifest,
  report: ProgressReporter,
): Promise<void> {
  await session.migrate(replaceFormerMigrations(manifest.migrations).at(-1));
  await fillTables(session, folder, manifest, report).catch((error: unknown) => {
    const reason = error instanceof Error ? stateOf(error) : undefined;
    throw reason === undefined ? error : damagedBackupRefusal(`its rows do not fit (${reason})`);
  });
}

// Returns the message of a constraint or data type error, because the rows are then invalid despite matching hashes.
function stateOf(error: Error): string | undefined {
  return /^(22|23)/.test(errorCodeOf(error) ?? '') ? error.message : undefined;
}

async function fillTables(
  session: BulkSession,
  folder: string,
  manifest: Manifest,
  report: ProgressReporter,
): Promise<void> {
  await session.query('begin');
  // More memory speeds up building indexes, which takes much of the time. PGlite has less memory.
  if (session.kind === 'postgresql') await session.query(`set local maintenance_work_mem = '256MB'`);
  const foreign = await dropForeignKeys(session);
  const indexes = await dropIndexes(session);
  for (const [at, table] of manifest.tables.entries()) {
    report(`table ${table.name}, ${at + 1} of ${manifest.tables.length}`);
    await loadTable(session, folder, table);
  }
  for (const { table, column, value, is_called } of manifest.sequences) {
    await session.query('select setval(pg_get_serial_sequence($1, $2)::regclass, $3::bigint, $4::boolean)', [
      quoteIdentifier(table),
      column,
      value,
      is_called,
    ]);
  }
  for (const [at, { name, definition }] of indexes.entries()) {
    report(`index ${name}, ${at + 1} of ${indexes.length}`);
    await session.query(definition);
  }
  for (const { owner, name, definition } of foreign)
    await session.query(`alter table ${owner} add constraint ${quoteIdentifier(name)} ${definition}`);
  await session.query('commit');
}

const schemaOfTables = `(select relnamespace from pg_class where oid = 'migrations'::regclass)`;

async function dropForeignKeys(session: BulkSession) {
  const keys = await session.query<{ owner: string; name: string; definition: string }>(
    `select conrelid::regclass::text as owner, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = ${schemaOfTables}`,
  );
  for (const { owner, name } of keys)
    await session.query(`alter table ${owner} drop constraint ${quoteIdentifier(name)}`);
  return keys;
}

/** Drops all indexes except those of constraints, because rebuilding them after loading is many times faster. */
async function dropIndexes(session: BulkSession) {
  const indexes = await session.query<{ name: string; definition: string }>(
    `select relname as name, pg_get_indexdef(oid) as definition from pg_class
     where relkind = 'i' and relnamespace = ${schemaOfTables} and not exists (select from pg_constraint where conindid = pg_class.oid)
     order by relname`,
  );
  for (const { name } of indexes) await session.query(`drop index ${quoteIdentifier(name)}`);
  return indexes;
}

const knownTables = new Set(tables.map(({ meta }) => meta.tableName));

async function loadTable(session: BulkSession, folder: string, table: Manifest['tables'][number]): Promise<void> {
  const { name, columns, rows } = table;
  if (!knownTables.has(name)) throw damagedBackupRefusal(`it has a table ${name}, which this version does not know`);
  // A migration may have inserted rows, so the table is emptied first.
  await session.query(`delete from ${quoteIdentifier(name)}`);
  if (rows > 0) await session.copyIn(name, columns, readCompressed(tablePath(folder, name)));
  const [found] = await session.query<{ count: string }>(
    `select count(*)::text as count from ${quoteIdentifier(name)}`,
  );
  if (Number(found?.count) !== rows)
    throw damagedBackupRefusal(`the table ${name} has ${found?.count} rows instead of ${rows}`);
}

/** Returns the files by storage key. */
export async function readListedFiles(folder: string, manifest: Manifest): Promise<ReadonlyMap<string, ListedFile>> {
  const listed = new Map<string, ListedFile>();
  for await (const line of readLines(fileListPath(folder))) {
    const file = parseListedFile(line);
    if (file === undefined) throw damagedBackupRefusal('its list of files has an unknown format');
    listed.set(file.key, file);
  }
  if (listed.size !== manifest.files.count)
    throw damagedBackupRefusal(`its list has ${listed.size} files instead of ${manifest.files.count}`);
  return listed;
}

/** Refuses a backup whose rows and file list refer to different files. */
async function requireFilesOfRows(
  session: BulkSession,
  listed: ReadonlyMap<string, ListedFile>,
  lost: readonly string[],
): Promise<void> {
  const unnamed = new Set(listed.keys());
  for await (const page of readReferencedFiles(session)) {
    for (const { key, bytes, sha256 } of page) {
      const file = listed.get(key);
      if (file === undefined && lost.includes(key)) continue;
      if (file === undefined)
        throw damagedBackupRefusal(`the database refers to the file ${key}, which is not in the backup`);
      if (file.bytes !== bytes || file.sha256 !== sha256)
        throw damagedBackupRefusal(`the database has another hash for the file ${key}`);
      unnamed.delete(key);
    }
  }
  const [extra] = unnamed;
  if (extra !== undefined) throw damagedBackupRefusal(`the database does not refer to its file ${extra}`);
}
