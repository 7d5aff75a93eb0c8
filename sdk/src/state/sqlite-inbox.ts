import type { DatabaseSync } from 'node:sqlite';
import type * as state from './client-state.ts';
import type { ResolvedStateLimits } from './state-limits.ts';

export const inboxSchemaSql = `
  create table if not exists inbox (
    event_id text primary key,
    seq integer not null unique,
    topic text not null,
    share text not null,
    kind text not null,
    status text not null check (status in ('waiting', 'leased', 'failed', 'finished')),
    attempts integer not null,
    due_ms integer not null,
    lease_id text,
    finished_seq integer unique,
    reason text,
    payload text not null
  );
  -- Payloads may be long, so the indexes contain all columns that are needed to choose an event.
  create index if not exists inbox_by_turn on inbox (share, finished_seq);
  create index if not exists inbox_by_place on inbox (status, kind, share, topic, seq);
  create index if not exists inbox_by_end on inbox (status, finished_seq);
`;

/** Stores the inbox in a table. Each write is a transaction that has the write lock from its first statement. */
export class SqliteInbox implements state.InboxStore {
  readonly #database: DatabaseSync;
  readonly #limits: ResolvedStateLimits;

  constructor(database: DatabaseSync, limits: ResolvedStateLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  async keepAll(received: readonly state.ReceivedEvent[]): Promise<readonly ('kept' | 'known')[]> {
    return this.#write(() => {
      const results: ('kept' | 'known')[] = [];
      for (const { event, topic, share } of received) {
        const { event_id, kind } = event;
        const isKnown = this.#get(sql`select 1 from inbox where event_id = ${event_id}`) !== undefined;
        const unfinished = this.#get(sql`
          select count(*) as n from inbox where status in ('waiting', 'leased') and kind = ${kind}`);
        if (!isKnown && Number(unfinished?.['n']) >= this.#limits.unfinishedMax) break;
        results.push(isKnown ? 'known' : 'kept');
        if (isKnown) continue;
        this.#run(sql`
          insert into inbox (seq, event_id, topic, share, kind, payload, status, attempts, due_ms)
          values (
            (select coalesce(max(seq), 0) + 1 from inbox),
            ${event_id}, ${topic}, ${share}, ${kind}, ${JSON.stringify(event.payload)}, 'waiting', 0, 0
          )`);
      }
      return results;
    });
  }

  async makeRoom(kind: string, count: number, reason: string): Promise<readonly state.InboxItem[]> {
    const park = () =>
      this.#get(sql`
        update inbox set status = 'failed', reason = ${reason},
          finished_seq = (select coalesce(max(finished_seq), 0) + 1 from inbox)
        where seq = (
          select max(seq) from inbox where status = 'waiting' and kind = ${kind}
          group by share order by count(*) desc, max(seq) desc limit 1
        ) returning event_id, kind, payload, attempts, reason, status`);
    return this.#write(() =>
      Array.from({ length: count }, park).flatMap((row) => (row === undefined ? [] : toItem(row))),
    );
  }

  async lease(nowMs: number, untilMs: number, kinds?: readonly string[]): Promise<state.Lease | undefined> {
    const list = kinds === undefined ? null : JSON.stringify(kinds);
    return this.#write(() => {
      // Only the oldest event of each topic may be leased, so that its events stay in order. Of the due ones, the
      // event is chosen from the share whose last event was finished or parked longest ago, or never.
      const row = this.#get(sql`
        with heads as (
          select min(seq) as seq from inbox
          where status in ('waiting', 'leased') and (${list} is null or kind in (select value from json_each(${list})))
          group by topic
        )
        select event_id, kind, payload, attempts from inbox as next join heads using (seq)
        where due_ms <= ${nowMs}
        order by (select max(finished_seq) from inbox as ended where ended.share = next.share), seq limit 1`);
      if (row === undefined) return undefined;
      const leaseId = crypto.randomUUID();
      const event = toEvent(row);
      const attempt = Number(row['attempts']) + 1;
      this.#run(sql`
        update inbox set status = 'leased', attempts = ${attempt}, due_ms = ${untilMs}, lease_id = ${leaseId}
        where event_id = ${event.event_id}`);
      return { lease_id: leaseId, event, attempt };
    });
  }

  async renew(eventId: string, leaseId: string, untilMs: number): Promise<boolean> {
    return this.#changes(
      sql`update inbox set due_ms = ${untilMs} where event_id = ${eventId} and lease_id = ${leaseId}`,
    );
  }

  async finish(eventId: string, leaseId: string | undefined, nowMs: number): Promise<boolean> {
    return this.#write(() => this.#finish(eventId, leaseId ?? null, nowMs));
  }

  #finish(eventId: string, id: string | null, nowMs: number): boolean {
    const isFinished = this.#run(sql`
      update inbox set status = 'finished', lease_id = null, reason = null, due_ms = ${nowMs},
        finished_seq = (select coalesce(max(finished_seq), 0) + 1 from inbox)
      where event_id = ${eventId} and status <> 'finished' and (${id} is null or lease_id = ${id})`);
    if (isFinished === 0) return false;
    this.#run(sql`
      delete from inbox where status = 'finished' and finished_seq <= (
        select finished_seq from inbox where status = 'finished'
        order by finished_seq desc limit 1 offset ${this.#limits.finishedMax}
      )`);
    return true;
  }

  async postpone(eventId: string, leaseId: string, again: state.Postponement): Promise<boolean> {
    const { dueMs, attempts, reason } = again;
    return this.#changes(sql`
      update inbox set status = 'waiting', lease_id = null, due_ms = ${dueMs}, attempts = ${attempts}, reason = ${reason}
      where event_id = ${eventId} and lease_id = ${leaseId}`);
  }

  async hasten(eventIds: readonly string[], nowMs: number): Promise<void> {
    this.#changes(sql`
      update inbox set due_ms = ${nowMs}
      where status = 'waiting' and due_ms > ${nowMs} and event_id in (select value from json_each(${JSON.stringify(eventIds)}))`);
  }

  async park(eventId: string, leaseId: string, reason: string): Promise<boolean> {
    return this.#changes(sql`
      update inbox set status = 'failed', lease_id = null, reason = ${reason},
        finished_seq = (select coalesce(max(finished_seq), 0) + 1 from inbox)
      where event_id = ${eventId} and lease_id = ${leaseId}`);
  }

  async dropFailed(nowMs: number): Promise<readonly state.InboxItem[]> {
    return this.#write(() => {
      const dropped: state.InboxItem[] = [];
      const failed = this.#get(sql`select count(*) as n from inbox where status = 'failed'`);
      while (Number(failed?.['n']) - dropped.length > this.#limits.unfinishedMax) {
        const row = this.#get(sql`
          select event_id, kind, payload, attempts, reason, status from inbox where seq = (
            select min(seq) from inbox where status = 'failed' group by share order by count(*) desc, min(seq) limit 1
          )`);
        dropped.push(toItem(row ?? {}));
        this.#finish(String(row?.['event_id']), null, nowMs);
      }
      return dropped;
    });
  }

  async release(eventId: string, nowMs: number): Promise<boolean> {
    return this.#changes(sql`
      update inbox set status = 'waiting', attempts = 0, reason = null, finished_seq = null, due_ms = ${nowMs},
        seq = (select max(seq) + 1 from inbox)
      where event_id = ${eventId} and status in ('failed', 'finished')`);
  }

  async list(status: state.InboxStatus): Promise<readonly state.InboxItem[]> {
    const rows = this.#database
      .prepare(
        `select event_id, kind, payload, attempts, reason, status from inbox where status = ? order by iif(status = 'finished', finished_seq, seq)`,
      )
      .all(status);
    return rows.map(toItem);
  }

  async snapshot(known?: ReadonlySet<string>): Promise<state.InboxSnapshot> {
    const all = this.#database.prepare('select event_id from inbox order by seq').all();
    const ids = new Set(all.map((row) => String(row['event_id'])));
    const fresh = known === undefined ? [] : [...ids].filter((id) => !known.has(id));
    const rows = fresh.map((id) => this.#get(sql`select event_id, kind, payload from inbox where event_id = ${id}`));
    return { ids, arrived: rows.filter((row) => row !== undefined).map(toEvent) };
  }

  #changes(statement: Statement): boolean {
    return this.#write(() => this.#run(statement) > 0);
  }

  #write<T>(work: () => T): T {
    return withWriteTransaction(this.#database, work);
  }

  #get({ text, values }: Statement): Row | undefined {
    return this.#database.prepare(text).get(...values);
  }

  #run({ text, values }: Statement): number {
    return Number(this.#database.prepare(text).run(...values).changes);
  }
}

type Statement = ReturnType<typeof sql>;

/** Converts a template to a statement with parameters. */
function sql(parts: readonly string[], ...values: readonly (string | number | null)[]) {
  return { text: parts.join('?'), values };
}

type Row = Record<string, unknown>;

function toItem(row: Row): state.InboxItem {
  const reason = row['reason'] === null ? null : String(row['reason']);
  // A constraint of the table ensures that the status is valid.
  return { event: toEvent(row), status: row['status'] as state.InboxStatus, attempts: Number(row['attempts']), reason };
}

function toEvent(row: Row): state.StoredEvent {
  return {
    event_id: String(row['event_id']),
    kind: String(row['kind']),
    payload: JSON.parse(String(row['payload'])),
  };
}

/**
 * Runs `work` in a write transaction. It is `immediate`, because a transaction that starts with a read fails without
 * waiting if another one writes first.
 */
export function withWriteTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}
