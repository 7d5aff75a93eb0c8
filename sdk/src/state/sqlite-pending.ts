import type { DatabaseSync } from 'node:sqlite';
import type { PendingStore } from './client-state.ts';
import { withWriteTransaction } from './sqlite-inbox.ts';

interface PendingTable<Entry> {
  /** The table and column names must be constants, because SQL parameters cannot be names. */
  readonly table: string;
  readonly idColumn: string;
  readonly max: number;
  readonly idOf: (entry: Entry) => string;
  /** Runs in the transaction that stores an entry. */
  readonly onKeep?: (entry: Entry) => void;
}

export class SqlitePendingStore<Entry> implements PendingStore<Entry> {
  readonly #database: DatabaseSync;
  readonly #table: PendingTable<Entry>;

  constructor(database: DatabaseSync, table: PendingTable<Entry>) {
    this.#database = database;
    this.#table = table;
  }

  async keep(entry: Entry): Promise<'kept' | 'known' | 'full'> {
    const { table, idColumn, max, idOf, onKeep } = this.#table;
    const database = this.#database;
    return withWriteTransaction(database, () => {
      const id = idOf(entry);
      if (database.prepare(`select 1 from ${table} where ${idColumn} = ?`).get(id) !== undefined) return 'known';
      if (Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n']) >= max) return 'full';
      database.prepare(`insert into ${table} (${idColumn}, entry) values (?, ?)`).run(id, JSON.stringify(entry));
      onKeep?.(entry);
      return 'kept';
    });
  }

  async list(): Promise<readonly Entry[]> {
    return this.read();
  }

  /** Like `list`, but synchronous, so that it can be called within a transaction. */
  read(): readonly Entry[] {
    return (
      this.#database
        .prepare(`select entry from ${this.#table.table} order by seq`)
        .all()
        // No check is needed, because only this package writes these entries.
        .map((row): Entry => JSON.parse(String(row['entry'])))
    );
  }

  async remove(id: string): Promise<void> {
    const { table, idColumn } = this.#table;
    this.#database.prepare(`delete from ${table} where ${idColumn} = ?`).run(id);
  }
}
