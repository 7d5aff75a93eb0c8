import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Tables } from './tables/all-tables.ts';

/** What a reading callback gets: queries, and no way to write. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'getExecutor'>;

/** What a writing callback gets: one transaction, the only handle inside it. */
export type Writer = Transaction<Tables>;

/**
 * A statement that is compiled once and run often. PostgreSQL keeps its plan on
 * the connection: for the statement before every request that is most of its cost.
 */
export interface Prepared<Row> {
  /** Unique among prepared statements; PostgreSQL knows the plan by this name. */
  readonly name: string;
  readonly text: string;
  readonly query: CompiledQuery<Row>;
}

/**
 * The database. A handle exists only inside a callback, because a query past
 * the handle of a transaction would wait for ever on PGlite, whose single
 * connection the transaction holds, and can deadlock a full pool on PostgreSQL.
 */
export interface Store {
  readonly kind: 'postgresql' | 'pglite';
  /** Runs queries outside a transaction. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * Runs one prepared statement with these values, as a transaction of its own,
   * which repeats like one of `transact`.
   */
  run<Row>(prepared: Prepared<Row>, values: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Runs `work` in one transaction and answers after its commit. Anything thrown
   * rolls back. Repeats on deadlock and serialisation failure, so `work` must
   * have no effect but on its writer.
   */
  transact<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Resolves when the database answers within `timeoutMs`. */
  ping(timeoutMs: number): Promise<void>;
  /** Names of the migrations that this version has and the database has not. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Brings the schema up to this version; one instance at a time. */
  migrate(): Promise<readonly string[]>;
  /** Settings of PostgreSQL that weaken what a commit promises; empty when all is well. */
  weakSettings(): Promise<readonly string[]>;
  close(): Promise<void>;
}
