import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { CostlyReads } from './costly-reads.ts';
import type { PageKeys } from './page-keys.ts';
import type { ProcessLocks } from './process-locks.ts';
import type { Tables } from './tables/all-tables.ts';

/** Seconds are too coarse here: all of these are milliseconds. */
export const databaseTimeouts = {
  /** To get a connection from the pool, or a new one from the server. */
  connectMs: 4_000,
  /** For one statement, set on the server and also enforced by the driver. */
  statementMs: 5_000,
  /** Applies to a whole `read` or `transact`, including retries. */
  workMs: 8_000,
};

/** The handle of a read callback: queries without writes. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'getExecutor'>;

/** The handle of a write callback: one transaction. */
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
  readonly changesRows: boolean;
}

/** A statement that answers many calls together. */
export interface BatchedStatement<Row> {
  /** Unique among prepared statements. */
  readonly name: string;
  /** The names of the parameters, in the order of the values of a call. */
  readonly parameters: readonly string[];
  /** The values of a call as JSON, for `together`. */
  readonly toJson: (values: readonly unknown[]) => string;
  /** For a single call: its parameters are the values. */
  readonly alone: Prepared<Row>;
  /** For several calls: its one parameter is a JSON array with an object of values for each. */
  readonly together: Prepared<Row & { readonly call_number: number }>;
  /** How many rows a call may return. */
  readonly rowsMax: number;
  /** The meaning of a missing row for a call in `together`. */
  readonly whenAbsent: 'nothing' | 'run alone';
  /** Whether its executions take turns with those of all other costly ones. */
  readonly isCostly?: boolean;
}

/** The source of a list page: the database, or its replica. */
export interface PageSource {
  /** Runs queries outside a transaction. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * Runs one prepared statement with these values, as a separate transaction,
   * which repeats like one of `transact`.
   */
  run<Row>(prepared: Prepared<Row>, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Answers one call of a statement with several rows for a call, as `Store.ask` does. */
  askAll<Row>(statement: BatchedStatement<Row>, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** A streaming standby of the database, which may lag behind. */
interface Replica {
  /** Reads from it; undefined when it cannot be used, and then immediately until it responds again. */
  read<T>(work: (source: PageSource) => Promise<T>): Promise<T | undefined>;
  /** How far it is behind, in seconds; undefined when it cannot be used. */
  lag(): Promise<number | undefined>;
  readonly counts: ReplicaCounts;
}

/** The outcomes of pages that a replica may serve. */
export interface ReplicaCounts {
  /** Pages of the replica that the primary confirmed. */
  fromReplica: number;
  /** Pages that were read from the primary instead. */
  fromPrimary: number;
  /** Rows of the replica that the primary did not confirm. */
  unconfirmedRows: number;
}

/**
 * The database. A handle exists only inside a callback, because a query past
 * the handle of a transaction would wait forever on PGlite, whose single
 * connection the transaction holds, and can deadlock a full pool on PostgreSQL.
 */
export interface Store extends PageSource {
  readonly kind: 'postgresql' | 'pglite';
  /** Absent unless the operator names one. */
  readonly replica?: Replica;
  /** Resources of this process that outlive a transaction. */
  readonly processLocks: ProcessLocks;
  /** The connections for searches and deep pages. */
  readonly share: CostlyReads;
  readonly pageKeys: PageKeys;
  /**
   * Answers one call of a statement, together with others that arrive while it is in progress. The
   * answer is at least as new as the call; undefined when the statement has no row for it.
   */
  ask<Row>(statement: BatchedStatement<Row>, values: readonly unknown[]): Promise<Row | undefined>;
  /**
   * Runs `work` in one transaction and answers after its commit. Anything thrown
   * rolls back. Repeats on deadlock and serialisation failure, so `work` must
   * have no effect but on its writer.
   */
  transact<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Resolves when the database answers within `timeoutMs` and takes writes. */
  ping(timeoutMs: number): Promise<void>;
  /** Compares the migrations of the database with those of this version. */
  schema(): Promise<SchemaState>;
  /** Brings the schema up to this version, one process at a time and however long it takes. Returns the names. */
  migrate(report?: ReportMigration): Promise<readonly string[]>;
  /** Settings of PostgreSQL that weaken what a commit promises; empty when all is well. */
  weakSettings(): Promise<readonly string[]>;
  /** Of an embedded database: frees the files of its log, unless a copy needs them. Returns whether it did. */
  checkpoint(): Promise<boolean>;
  /** Of an embedded database: copies its folder while it serves; the copy has everything committed before. */
  copyFolder(target: string): Promise<void>;
  close(): Promise<void>;
}

/** Names of migrations. */
export interface SchemaState {
  /** Migrations of this version that the database lacks. */
  readonly pending: readonly string[];
  /** Migrations of the database that this version does not know. */
  readonly unknown: readonly string[];
  /** The version that applied the unknown ones; null when there are none, or when it is not recorded. */
  readonly migratedBy: string | null;
  /** A problem of the database, and its remedy; null if there is none. */
  readonly damage: string | null;
}

/** How far a migration is. */
export interface MigrationProgress {
  /** `waiting` for another process that migrates, immediately and then every 10 s; `running` every 10 s. */
  readonly state: 'waiting' | 'running' | 'finished';
  readonly migration?: string;
  /** Its position among the pending ones, as "2 of 3". */
  readonly position?: string;
  readonly seconds: number;
}

/** Receives the progress of migrations. */
export type ReportMigration = (progress: MigrationProgress) => void;
