import { join } from 'node:path';
import { originalKey, previewKey } from '../../attachments/file-keys.ts';
import { lowestId } from '../../platform/crypto.ts';
import { type BulkSession, quoteIdentifier } from '../../store/bulk-session.ts';
import { replaceFormerMigrations } from '../../store/migrations/adopt-baseline.ts';
import { migrations } from '../../store/migrations/index.ts';
import { tables } from '../../store/tables/all-tables.ts';
import { backupKeyFactName } from '../repository/key-queries.ts';
import type { ListedFile, Manifest } from '../repository/manifest.ts';
import { BackupRefusal } from '../repository/refusal.ts';
import { writeCompressed } from '../repository/stream-commands.ts';

export type ProgressReporter = (text: string) => void;

type DatabasePart = Pick<Manifest, 'database' | 'migrations' | 'tables' | 'sequences'>;

export function tablePath(folder: string, table: string): string {
  return join(folder, 'tables', `${table}.copy.gz`);
}

/** Dumps every table in the snapshot of this session. */
export async function dumpTables(
  session: BulkSession,
  folder: string,
  report: ProgressReporter,
): Promise<DatabasePart> {
  const [version] = await session.query<{ version: string }>(`select current_setting('server_version') as version`);
  const found = await readTables(session);
  const dumped: Manifest['tables'] = [];
  for (const [at, { name, columns }] of found.entries()) {
    report(`table ${name}, ${at + 1} of ${found.length}`);
    let rows = 0;
    const counted = async function* () {
      const condition = name === 'platform_facts' ? `name <> '${backupKeyFactName}'` : 'true';
      for await (const chunk of session.copyOut(name, columns, condition)) {
        rows += countRows(chunk);
        yield chunk;
      }
    };
    const digest = await writeCompressed(tablePath(folder, name), counted());
    dumped.push({ name, columns, rows, ...digest });
  }
  return {
    database: { kind: session.kind, version: version?.version ?? '' },
    migrations: await readMigrations(session),
    tables: dumped,
    sequences: await readSequences(session, found),
  };
}

// Counts line breaks, because values in the COPY format contain none.
function countRows(chunk: Uint8Array): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  return rows;
}

/** Reads the applied migrations of the database; refuses if this version does not know all of them. */
async function readMigrations(session: BulkSession): Promise<string[]> {
  const rows = await session.query<{ name: string }>('select name from migrations order by id');
  const names = [...replaceFormerMigrations(rows.map(({ name }) => name))];
  const unknown = names.filter((name) => !migrations.some((known) => known.name === name));
  if (unknown.length === 0) return names;
  const message = `A later version has changed the schema (${unknown.join(', ')}). Make the backup with the operator command of that version.`;
  throw new BackupRefusal('backup_newer', message);
}

interface FoundTable {
  readonly name: string;
  readonly columns: string[];
}

/** Reads the platform's tables and their columns. Omits unlogged tables, which the database empties after a crash. */
async function readTables(session: BulkSession): Promise<readonly FoundTable[]> {
  const names = tables.map(({ meta }) => meta.tableName);
  const rows = await session.query<{ name: string; columns: string }>(
    `select relname as name, (
       select json_agg(attname order by attnum)::text from pg_attribute
       where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
     ) as columns
     from pg_class where relname = any($1::text[]) and relpersistence = 'p' and relkind in ('r', 'p')
       and relnamespace = (select relnamespace from pg_class where oid = 'migrations'::regclass)
     order by relname`,
    [names],
  );
  return rows.map(({ name, columns }) => ({ name, columns: JSON.parse(columns) as string[] }));
}

async function readSequences(session: BulkSession, found: readonly FoundTable[]): Promise<Manifest['sequences']> {
  const sequences: Manifest['sequences'] = [];
  for (const { name, columns } of found) {
    for (const column of columns) {
      const [row] = await session.query<{ sequence: string | null }>(
        'select pg_get_serial_sequence($1, $2) as sequence',
        [quoteIdentifier(name), column],
      );
      if (row?.sequence == null) continue;
      const [state] = await session.query<{ value: string; is_called: boolean }>(
        `select last_value::text as value, is_called from ${row.sequence}`,
      );
      if (state !== undefined) sequences.push({ table: name, column, ...state });
    }
  }
  return sequences;
}

const pageMax = 1_000;

interface FileRow {
  readonly id: string;
  readonly sha256: string | null;
  readonly size_bytes: number | string | null;
  readonly preview_sha256: string | null;
  readonly preview_size_bytes: number | string | null;
}

/** Reads the files that the database refers to, with their recorded hashes, in pages; none if the schema is too old. */
export async function* readReferencedFiles(session: BulkSession): AsyncIterable<readonly ListedFile[]> {
  const [found] = await session.query<{ exists: boolean }>(`select to_regclass('attachments') is not null as exists`);
  if (found?.exists !== true) return;
  for (let after = lowestId; ; ) {
    const rows = await session.query<FileRow>(
      `select id, sha256, size_bytes, preview_sha256, preview_size_bytes from attachments
       where id > $1::uuid and state = 'ready' and cleaned_at is null order by id limit ${pageMax}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    yield rows.flatMap((row) => [
      ...listed(originalKey(row.id), row.size_bytes, row.sha256),
      ...listed(previewKey(row.id), row.preview_size_bytes, row.preview_sha256),
    ]);
  }
}

function listed(key: string, bytes: number | string | null, sha256: string | null): readonly ListedFile[] {
  return bytes === null || sha256 === null ? [] : [{ key, bytes: Number(bytes), sha256 }];
}
