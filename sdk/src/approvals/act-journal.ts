import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../credentials/make-folder.ts';
import { loadSqlite } from '../load-sqlite.ts';
import type { Act, Approve, Journal } from '../tools/consent/consent.ts';
import { isOrderCommand } from '../tools/execute-tool.ts';
import type { Facts, UploadPaths } from '../tools/tool.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import { findExceededLimit, readSpendingPolicy } from './spending-policy.ts';
import { approvalsTableSql, type ProposedAct, StoredApprovals } from './stored-approvals.ts';

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
  ${approvalsTableSql}
  create table if not exists uploads (attachment_id text primary key, path text not null);
  create table if not exists origins (sha256 text, attachment_id text, path text, primary key (sha256, attachment_id, path));
`;

/**
 * Opens an agent's journal, the file `mcp.sqlite` in its state folder. That folder also contains the spending policy.
 *
 * @throws ToolFailure `journal_newer`, `journal_unusable`
 */
export function openJournal(stateFolder: string, now: () => number = Date.now): ActJournal {
  return new ActJournal(join(stateFolder, 'mcp.sqlite'), now);
}

/**
 * Stores an agent's decided order commands, and its acts that wait for a person, in one database file that all its
 * programs share. An act is stored before its request is sent, so that a repeated call continues the act and credits
 * are counted before they are spent.
 */
export class ActJournal implements Journal, UploadPaths {
  /** The acts on which a person has to decide or has decided. */
  readonly approvals: StoredApprovals;
  readonly #database: DatabaseSync;
  readonly #folder: string;
  readonly #now: () => number;

  /** @throws ToolFailure `journal_newer`, `journal_unusable` */
  constructor(file: string, now: () => number) {
    this.#database = openDatabase(file);
    this.#folder = dirname(file);
    this.#now = now;
    this.approvals = new StoredApprovals(this.#database, (work) => this.#write(work), now);
  }

  /** The facts of a call that was decided within the last day and is not settled. */
  find(call: string): Facts | undefined {
    const row = this.#database
      .prepare('select facts from acts where call = ? and is_settled = 0 and at_ms > ? order by at_ms desc limit 1')
      .get(call, this.#now() - dayMs);
    return row === undefined ? undefined : JSON.parse(String(row['facts']));
  }

  /**
   * Stores an act that a person has confirmed, or that needs no confirmation; an act that is already stored is kept.
   *
   * @throws ToolFailure `spending_policy_exceeded`, `spending_policy_invalid`
   */
  store(act: Act): void {
    this.#write(() => {
      this.checkPolicy(act.facts);
      this.#insert(act, false);
    });
  }

  /** Stores an act that a person has permitted beyond the spending policy. */
  storeBeyondPolicy(act: Act): void {
    this.#write(() => this.#insert(act, false));
  }

  /** Stores an act for `agentp approvals`; once a person approves it there, a repeat of the call executes it. */
  readonly approve: Approve = async (act) => {
    this.approvals.propose(act, act.plan.question ?? '');
    return 'waiting';
  };

  use(act: ProposedAct): 'approved' | 'refused' | undefined {
    return this.#write(() => {
      const decision = this.approvals.use(act);
      if (decision === 'approved') this.checkPolicy(act.plan.facts);
      // Stores the act in the transaction that uses up the approval, so that a repeated call continues it after a kill.
      if (decision === 'approved' && isOrderCommand(act.tool)) {
        this.#insert({ call: act.call, facts: act.plan.facts }, false);
      }
      return decision;
    });
  }

  checkPolicy({ operation_id, order_id, total_minor, agent_id }: Facts): void {
    if (total_minor === null || agent_id === null) return;
    const policy = readSpendingPolicy(this.#folder);
    if (policy === undefined) return;
    const committed = this.#database
      .prepare(
        `select max(total_minor) as total, max(json_extract(facts, '$.agent_id')) as agent_id from acts
         where total_minor is not null and json_extract(facts, '$.agent_id') is not null and at_ms > ?
           and operation_id <> ? and order_id is not ?
         group by coalesce(order_id, operation_id)`,
      )
      .all(this.#now() - dayMs, operation_id, order_id ?? '');
    const sumOf = (rows: typeof committed) => rows.reduce((sum, { total }) => sum + Number(total), 0);
    const exceeded = findExceededLimit(policy, {
      totalMinor: total_minor,
      spentMinor: sumOf(committed),
      spentWithCounterpartyMinor: sumOf(committed.filter((row) => row['agent_id'] === agent_id)),
      at: new Date(this.#now()),
    });
    if (exceeded === undefined) return;
    const hint = 'Only the user can change the spending policy. Ask for less, or inform the user.';
    throw new ToolFailure('spending_policy_exceeded', `${exceeded} Nothing was sent.`, hint);
  }

  /**
   * Stores an act if the spend limit covers it together with all other such acts of the last 24 hours. Each order
   * counts once.
   *
   * @returns false if the limit does not cover the act; nothing is stored then
   */
  reserve(act: Act, limitMinor: number): boolean {
    return this.#write(() => {
      this.checkPolicy(act.facts);
      const { order_id, total_minor } = act.facts;
      const isCounted = order_id !== null && this.#isCounted(order_id);
      if (!isCounted && this.#spentMinor() + (total_minor ?? 0) > limitMinor) return false;
      // Counts the act even if its order is already counted: the earlier act may be refused while this one succeeds.
      this.#insert(act, true);
      return true;
    });
  }

  /** The minor units spent without a confirmation in the last 24 hours. */
  spentMinor(): number {
    return this.#spentMinor();
  }

  /** Settles an act whose outcome is known: it created or changed an order, or it was refused. */
  settle(operationId: string, outcome: { readonly orderId: string } | 'refused'): void {
    const [change, ...values] =
      outcome === 'refused' ? ['within_limit = 0, total_minor = null'] : ['order_id = ?', outcome.orderId];
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
      .prepare('insert or ignore into acts values (?, ?, ?, ?, ?, ?, 0, ?)')
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

  // Uses `begin immediate`: two programs that read the sum before either writes could exceed the limit together.
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

// SQLITE_CORRUPT and SQLITE_NOTADB.
const damaged: ReadonlySet<number> = new Set([11, 26]);

function openDatabase(file: string): DatabaseSync {
  const sqlite = loadSqlite();
  if (sqlite === undefined) {
    throw new ToolFailure('journal_unusable', 'This runtime has no node:sqlite.', 'Use Node.js 22.19 or later.');
  }
  makeFolder(dirname(file));
  // Creates the file before SQLite opens it, because SQLite would make it readable by other users.
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
    if (!damaged.has(Number(Reflect.get(Object(error), 'errcode')))) throw error;
    const hint = 'Move it away to start again; the approvals and the spent credits that it counts are then forgotten.';
    throw new ToolFailure('journal_unusable', `${file} is damaged.`, hint);
  }
}
