import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../credentials/make-folder.ts';
import { loadSqlite } from '../load-sqlite.ts';
import type { Facts, UploadPaths } from '../tools/tool.ts';
import { ToolFailure } from '../tools/tool-failure.ts';

// The version of the stored format; a file of a later version is left unchanged.
const format = 1;
const busyTimeoutMs = 10_000;
const dayMs = 86_400_000;
const keptMs = 30 * dayMs;

const schema = `
  create table if not exists acts (
    operation_id text primary key,
    call text not null,
    facts text not null,
    order_id text,
    total_minor integer,
    within_limit integer not null check (within_limit in (0, 1)),
    is_settled integer not null check (is_settled in (0, 1)),
    at_ms integer not null
  );
  create index if not exists acts_by_time on acts (at_ms);
  create index if not exists acts_by_call on acts (call, is_settled);
  create table if not exists uploads (attachment_id text primary key, path text not null);
  create table if not exists origins (sha256 text, attachment_id text, path text, primary key (sha256, attachment_id, path));
`;

/** An order command that was decided: by a person, or by the spend limit. */
export interface Act {
  /** Names the tool and its arguments: the same call again continues the act until it is settled. */
  readonly call: string;
  readonly facts: Facts;
}

/**
 * The order commands that were decided, in one database file of the agent that all its MCP servers share. An act is
 * stored before its request is sent; so a repeated call continues it, and credits without a confirmation are counted
 * before they are spent.
 */
export class ActJournal implements UploadPaths {
  readonly #database: DatabaseSync;
  readonly #now: () => number;

  /** @throws ToolFailure `journal_newer`, `journal_unusable` */
  constructor(file: string, now: () => number) {
    this.#database = openDatabase(file);
    this.#now = now;
  }

  /** The facts of a call that was decided within the last day and is not settled. */
  find(call: string): Facts | undefined {
    const row = this.#database
      .prepare('select facts from acts where call = ? and is_settled = 0 and at_ms > ? order by at_ms desc limit 1')
      .get(call, this.#now() - dayMs);
    return row === undefined ? undefined : JSON.parse(String(row['facts']));
  }

  /** Stores an act that a person has confirmed, or that needs no confirmation. */
  store(act: Act): void {
    this.#write(() => this.#insert(act, false));
  }

  /**
   * Stores an act that the spend limit covers: all such acts of the last 24 hours, each order once, cost at most the
   * limit.
   *
   * @returns false when the limit does not cover it; nothing is stored then
   */
  reserve(act: Act, limitMinor: number): boolean {
    return this.#write(() => {
      const { order_id, total_minor } = act.facts;
      const isCounted = order_id !== null && this.#isCounted(order_id);
      if (!isCounted && this.#spentMinor() + (total_minor ?? 0) > limitMinor) return false;
      // Also an act on a counted order: the one that was counted may be refused while this one takes effect.
      this.#insert(act, true);
      return true;
    });
  }

  /** The credits spent without a confirmation in the last 24 hours. */
  spentMinor(): number {
    return this.#spentMinor();
  }

  /** Ends an act whose outcome is known: with its order, or refused. */
  settle(operationId: string, outcome: { readonly orderId: string } | 'refused'): void {
    const [change, ...values] = outcome === 'refused' ? ['within_limit = 0'] : ['order_id = ?', outcome.orderId];
    this.#write(() => {
      this.#database
        .prepare(`update acts set is_settled = 1, ${change} where operation_id = ? and is_settled = 0`)
        .run(...values, operationId);
    });
  }

  rememberPaths(sha256: string, attachmentId: string, paths: readonly string[]): void {
    const insert = this.#database.prepare('insert or ignore into origins values (?, ?, ?)');
    this.#write(() => paths.forEach((path) => void insert.run(sha256, attachmentId, path)));
  }

  pathsOf(attachmentId: string): readonly string[] {
    const rows = this.#database
      .prepare(
        `select path from origins where sha256 in (select sha256 from origins where attachment_id = :id)
         union select path from uploads where attachment_id = :id order by path`,
      )
      .all({ id: attachmentId });
    return rows.map(({ path }) => String(path));
  }

  close(): void {
    this.#database.close();
  }

  #spentMinor(): number {
    const row = this.#database
      .prepare(
        `select coalesce(sum(total), 0) as spent from (
           select max(total_minor) as total from acts where within_limit = 1 and at_ms > ?
           group by coalesce(order_id, operation_id))`,
      )
      .get(this.#now() - dayMs);
    return Number(row?.['spent']);
  }

  #isCounted(orderId: string): boolean {
    const row = this.#database
      .prepare('select 1 from acts where order_id = ? and within_limit = 1 and at_ms > ?')
      .get(orderId, this.#now() - dayMs);
    return row !== undefined;
  }

  #insert({ call, facts }: Act, isWithinLimit: boolean): void {
    const now = this.#now();
    this.#database.prepare('delete from acts where at_ms < ?').run(now - keptMs);
    this.#database
      .prepare('insert into acts values (?, ?, ?, ?, ?, ?, 0, ?)')
      .run(
        facts.operation_id,
        call,
        JSON.stringify(facts),
        facts.order_id,
        facts.total_minor,
        isWithinLimit ? 1 : 0,
        now,
      );
  }

  // `immediate`: two servers that both read the sum before they write would both stay below the limit.
  #write<T>(work: () => T): T {
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

function openDatabase(file: string): DatabaseSync {
  const sqlite = loadSqlite();
  if (sqlite === undefined) {
    throw new ToolFailure('journal_unusable', 'This runtime has no node:sqlite.', 'Use Node.js 22.19 or later.');
  }
  makeFolder(dirname(file));
  // SQLite would create it readable for others.
  closeSync(openSync(file, 'a', 0o600));
  const database = new sqlite.DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    database.exec('pragma synchronous = full');
    const found = Number(database.prepare('pragma user_version').get()?.['user_version']);
    if (found > format) {
      throw new ToolFailure('journal_newer', `${file} was written by a later version.`, 'Update this program.');
    }
    database.exec(`begin immediate; ${schema} pragma user_version = ${format}; commit`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
