import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { applyMigrations } from './migrate.ts';
import { connectWithoutLimits, preparePgliteOrm, preparePostgresMigrations, withSessionOptions } from './orm.ts';

/** A separate database session without time limits, which copies whole tables for backups and restores. */
export interface BulkSession {
  readonly kind: 'postgresql' | 'pglite';
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Reads the rows of a table that match a condition, in the text format of COPY; every row ends with a line break. */
  copyOut(table: string, columns: readonly string[], condition: string): AsyncIterable<Uint8Array>;
  /** Inserts rows in the format that `copyOut` returns. */
  copyIn(table: string, columns: readonly string[], rows: AsyncIterable<Uint8Array>): Promise<void>;
  /** Applies the migrations up to `last`, or all of them. */
  migrate(last?: string): Promise<void>;
  close(): Promise<void>;
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const columnList = (columns: readonly string[]) => columns.map(quoteIdentifier).join(', ');

export async function openPostgresBulkSession(databaseUrl: string, schema?: string): Promise<BulkSession> {
  const url = schema === undefined ? databaseUrl : withSchema(databaseUrl, schema);
  const client = await connectWithoutLimits(url, 'agent-platform backup');
  return {
    kind: 'postgresql',
    query: async <Row>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query(text, [...values]);
      return rows as Row[];
    },
    copyOut: (table, columns, condition) =>
      readCopy(
        client,
        `copy (select ${columnList(columns)} from ${quoteIdentifier(table)} where ${condition}) to stdout`,
      ),
    copyIn: (table, columns, rows) =>
      pipeline(rows, client.query(copyFrom(`copy ${quoteIdentifier(table)} (${columnList(columns)}) from stdin`))),
    migrate: async (last) => {
      const { orm, close } = await preparePostgresMigrations(url, schema);
      await applyMigrations(orm, () => undefined, { last }).finally(close);
    },
    close: () => client.end(),
  };
}

export function withSchema(databaseUrl: string, schema: string): string {
  return withSessionOptions(databaseUrl, `-c search_path=${schema}`);
}

async function* readCopy(client: Client, statement: string): AsyncIterable<Uint8Array> {
  yield* client.query(copyTo(statement)) as AsyncIterable<Buffer>;
}

const pageBytes = 8_192;
const pagesAtOnce = 512;
const insertedAtOnceBytes = 4 * 1024 * 1024;

/** No other process may use the folder. */
export async function openPgliteBulkSession(folder: string): Promise<BulkSession> {
  const { orm, database: pglite, close } = await preparePgliteOrm(folder);
  return {
    kind: 'pglite',
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await pglite.query<Row>(text, [...values])).rows,
    // Copies page by page, because one query for the whole table would need memory for all of its rows.
    copyOut: async function* (table, columns, condition) {
      const { rows } = await pglite.query<{ bytes: number | string }>(
        'select pg_relation_size($1::regclass) as bytes',
        [quoteIdentifier(table)],
      );
      const pages = Math.ceil(Number(rows[0]?.bytes) / pageBytes);
      for (let at = 0; at < pages; at += pagesAtOnce) {
        const { blob } = await pglite.query(
          `copy (select ${columnList(columns)} from ${quoteIdentifier(table)}
             where ctid >= '(${at},0)' and ctid < '(${at + pagesAtOnce},0)' and ${condition}) to '/dev/blob'`,
        );
        if (blob !== undefined && blob.size > 0) yield Buffer.from(await blob.arrayBuffer());
      }
    },
    copyIn: async (table, columns, rows) => {
      for await (const portion of wholeRows(rows)) {
        const blob = new Blob([portion]);
        await pglite.query(`copy ${quoteIdentifier(table)} (${columnList(columns)}) from '/dev/blob'`, [], { blob });
      }
    },
    migrate: async (last) => {
      await applyMigrations(orm, () => undefined, { last });
    },
    close,
  };
}

/** Splits the data into chunks that end at the end of a row; line breaks inside values are escaped. */
async function* wholeRows(rows: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array<ArrayBuffer>> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of rows) {
    const end = bytes + chunk.length < insertedAtOnceBytes ? 0 : chunk.lastIndexOf(10) + 1;
    if (end === 0) {
      waiting.push(chunk);
      bytes += chunk.length;
      continue;
    }
    yield Buffer.concat([...waiting, chunk.subarray(0, end)]);
    waiting = [chunk.subarray(end)];
    bytes = chunk.length - end;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
