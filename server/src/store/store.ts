import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { CostlyReadLimiter } from './costly-reads.ts';
import type { PageKeyCache } from './page-keys.ts';
import type { ProcessLocks } from './process-locks.ts';
import type { Tables } from './tables/all-tables.ts';

export const databaseTimeouts = {
  /** The time limit to get a connection from the pool, or to open a new one. */
  connectMs: 4_000,
  /** The time limit of a statement, set on the server and also enforced by the driver. */
  statementMs: 5_000,
  /** The time limit of an entire `read` or `transact`, including retries. */
  workMs: 8_000,
};

/** What a read callback receives: queries that do not write. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'getExecutor'>;

/** What a write callback receives: one transaction. */
export type Writer = Transaction<Tables>;

/**
 * A statement that is compiled once and run often. PostgreSQL keeps its plan on the connection; for the statement that
 * precedes every request, planning is most of the cost.
 */
export interface PreparedStatement<Row> {
  /** Unique among prepared statements; PostgreSQL stores the plan under this name. */
  readonly name: string;
  readonly text: string;
  readonly query: CompiledQuery<Row>;
  readonly changesRows: boolean;
}

/** A statement that can answer many calls together. */
export interface BatchedStatement<Row> {
  /** Unique among prepared statements. */
  readonly name: string;
  /** The names of the parameters, in the order of a call's values. */
  readonly parameters: readonly string[];
  /** The values of a call as JSON, for `together`. */
  readonly toJson: (values: readonly unknown[]) => string;
  /** The statement for a single call, whose values are the parameters. */
  readonly alone: PreparedStatement<Row>;
  /** The statement for several calls: its only parameter is a JSON array with an object of values for each call. */
  readonly together: PreparedStatement<Row & { readonly call_number: number }>;
  /** The maximum number of rows per call. */
  readonly rowsMax: number;
  /** The meaning of a missing row for a call in `together`. */
  readonly whenAbsent: 'nothing' | 'run alone';
  /** Whether its executions never run in parallel with those of other expensive statements. */
  readonly isCostly?: boolean;
}

/** The source of the rows of a list page: the database or its replica. */
export interface PageSource {
  /** Runs queries outside a transaction. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Runs a prepared statement as a separate transaction, with the same retries as `transact`. */
  run<Row>(prepared: PreparedStatement<Row>, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Answers a call of a statement that returns several rows per call, in the same way as `Store.ask`. */
  askAll<Row>(statement: BatchedStatement<Row>, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** A streaming standby of the database, which may lag behind. */
interface Replica {
  /** Reads from the replica; returns undefined if it fails, and without waiting while it is known to fail. */
  read<T>(work: (source: PageSource) => Promise<T>): Promise<T | undefined>;
  /** How far the replica lags behind, in seconds; undefined if it cannot be used. */
  lag(): Promise<number | undefined>;
  readonly counts: ReplicaCounts;
}

/** Counts of pages and rows that a replica may serve, by outcome. */
export interface ReplicaCounts {
  /** Pages from the replica that the primary confirmed. */
  fromReplica: number;
  /** Pages that were read from the primary instead. */
  fromPrimary: number;
  /** Rows from the replica that the primary did not confirm. */
  unconfirmedRows: number;
}

/**
 * The database. A handle only exists inside a callback, because a query that bypasses the handle of a transaction
 * would wait forever on PGlite, whose single connection the transaction uses, and can deadlock a full pool on
 * PostgreSQL.
 */
export interface Store extends PageSource {
  readonly kind: 'postgresql' | 'pglite';
  /** Absent unless the operator has configured one. */
  readonly replica?: Replica;
  /** Locks of this process that outlive a transaction. */
  readonly processLocks: ProcessLocks;
  /** The connections for searches and deep pages. */
  readonly share: CostlyReadLimiter;
  readonly pageKeys: PageKeyCache;
  /**
   * Answers one call of a statement, together with other calls that arrive while an execution is in progress. The
   * answer is at least as new as the call; undefined if the statement returns no row for it.
   */
  ask<Row>(statement: BatchedStatement<Row>, values: readonly unknown[]): Promise<Row | undefined>;
  /**
   * Runs `work` in a transaction and resolves after its commit. Any error rolls it back. The transaction is repeated
   * after deadlocks and serialization failures, so `work` must have no effects except on its writer.
   */
  transact<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Resolves if the database responds within `timeoutMs` and accepts writes. */
  ping(timeoutMs: number): Promise<void>;
  /** Compares the migrations of the database with those of this version. */
  schema(): Promise<SchemaState>;
  /**
   * Migrates the schema to this version, one process at a time and without a time limit. Returns the names of the
   * applied migrations.
   */
  migrate(report?: MigrationReporter): Promise<readonly string[]>;
  /** PostgreSQL settings that weaken the durability of commits; empty if there are none. */
  weakSettings(): Promise<readonly string[]>;
  /** Frees the log files of an embedded database, unless a copy needs them. Returns whether they were freed. */
  checkpoint(): Promise<boolean>;
  /** Copies an embedded database's folder while it is in use; the copy contains all commits before the call. */
  copyFolder(target: string): Promise<void>;
  close(): Promise<void>;
}

/** The migrations of a database, compared with those of this version. */
export interface SchemaState {
  /** Migrations of this version that the database lacks. */
  readonly pending: readonly string[];
  /** Migrations of the database that this version does not know. */
  readonly unknown: readonly string[];
  /** The version that applied the unknown ones; null if there are none or it was not recorded. */
  readonly migratedBy: string | null;
  /** A problem with the database and how to fix it; null if there is none. */
  readonly damage: string | null;
}

/** The progress of a migration. */
export interface MigrationProgress {
  /** `waiting` for another process that migrates: reported immediately and then every 10 s; `running`: every 10 s. */
  readonly state: 'waiting' | 'running' | 'finished';
  readonly migration?: string;
  /** Its position among the pending migrations, such as "2 of 3". */
  readonly position?: string;
  readonly seconds: number;
}

export type MigrationReporter = (progress: MigrationProgress) => void;
