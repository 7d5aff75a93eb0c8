import { type RawBuilder, sql } from 'kysely';
import { prepareSql } from '../store/statements/prepared.ts';
import type { PageSource, PreparedStatement, Store } from '../store/store.ts';

/** A row of a page that may come from a replica. */
export interface VersionedRow {
  readonly id: string;
  /** The version of the stored rows from which this row is built; it changes whenever one of them changes. */
  readonly version: string;
  /** The files of a post, which can change while the post does not. */
  readonly files?: string | null;
}

interface Confirmed {
  /** The number of rows that have changed since they were read, or may no longer be shown. */
  readonly unconfirmed: number;
  /** The result of `ownState`. */
  readonly own: string;
}

/** How many of the reader's newest posts are compared on replica and primary; the reader may just have written them. */
const ownPosts = 10;

/** A statement for the primary. Its parameters are a reader, the rows of a page as JSON, and any additional values. */
export type ConfirmationStatement = PreparedStatement<Confirmed>;

// A hash of the reader's profile and newest posts. A replica with the same hash contains the reader's latest changes.
const ownState = sql<string>`(
  select hashtextextended(concat(
    (select bots.xmin from bots where bots.id = reader.id),
    (select string_agg(concat(own.id, own.version), ',') from (
      select posts.id, posts.xmin as version from posts where author_id = reader.id and deleted_at is null
      order by created_at desc, id desc limit ${sql.lit(ownPosts)}) own)
  ), 0)::text from (select ${''}::uuid as id) reader)`;

const stateOfReplica = prepareSql<{ readonly is_standby: boolean; readonly own: string }>(
  'replica-state',
  sql`select pg_is_in_recovery() as is_standby, ${ownState} as own`,
);

/**
 * Prepares the statement that counts the unconfirmed rows of a page. `confirmed` is a subquery that refers to one row
 * of the page as `page`, and returns a row if that row is still valid.
 */
export function prepareConfirmation(name: string, confirmed: RawBuilder<unknown>): ConfirmationStatement {
  return prepareSql(
    name,
    sql`
      select count(*) filter (where confirmed.id is null)::int as unconfirmed, ${ownState} as own
      from json_to_recordset(${''}::json) as page (id uuid, version text, files text)
      left join lateral (${confirmed} limit 1) confirmed on true`,
  );
}

interface PageReading<Row extends VersionedRow> {
  readonly readerId: string;
  read(source: PageSource): Promise<readonly Row[]>;
  readonly confirmation: ConfirmationStatement;
  /** Additional values for the confirmation. */
  readonly values?: readonly unknown[];
}

/**
 * Reads the rows of a page: from the replica if the primary confirms all of them, otherwise from the primary. So no
 * outdated, hidden or deleted row is returned, even if the replica lags far behind.
 */
export async function readConfirmedPage<Row extends VersionedRow>(
  store: PageStore,
  reading: PageReading<Row>,
): Promise<readonly Row[]> {
  const { replica } = store;
  if (replica === undefined) return await reading.read(store);
  const { counts } = replica;
  const found = await replica.read(async (source) => {
    // The state is read before the rows, so that the rows are at least as new as the state.
    const [state] = await source.run(stateOfReplica, [reading.readerId]);
    if (state?.is_standby !== true) throw new Error('The replica is no longer a standby.');
    return { own: state.own, rows: await reading.read(source) };
  });
  if (found !== undefined) {
    const { unconfirmed, own } = await confirm(store, reading, found.rows);
    if (unconfirmed === 0 && own === found.own) {
      counts.fromReplica += 1;
      return found.rows;
    }
    counts.unconfirmedRows += unconfirmed;
  }
  counts.fromPrimary += 1;
  return await reading.read(store);
}

export type PageStore = PageSource & Pick<Store, 'replica' | 'pageKeys'>;

async function confirm(
  store: PageStore,
  { readerId, confirmation, values = [] }: PageReading<VersionedRow>,
  rows: readonly VersionedRow[],
): Promise<Confirmed> {
  const page = rows.map(({ id, version, files = null }) => ({ id, version, files }));
  const [confirmed] = await store.run(confirmation, [readerId, JSON.stringify(page), ...values]);
  if (confirmed === undefined) throw new Error('The confirmation statement returned no row.');
  return confirmed;
}
