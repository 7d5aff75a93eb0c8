import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../errors.ts';
import {
  type ClientState,
  type FullStateLimits,
  type OpenedState,
  type PendingStore,
  type Pin,
  type PinStore,
  type StateLimits,
  type StateOwner,
  stateFormat,
} from './client-state.ts';
import { refuseOtherOwner } from './memory-state.ts';
import { SqliteInbox, writing } from './sqlite-inbox.ts';
import { readStateLimits } from './state-limits.ts';

// How long a statement waits while another process writes; a write takes milliseconds.
const busyTimeoutMs = 10_000;

const schema = `
  create table if not exists owner (one integer primary key check (one = 1), origin text not null, bot_id text not null);
  create table if not exists outbox (
    seq integer primary key autoincrement,
    client_message_id text not null unique,
    entry text not null
  );
  create table if not exists operations (
    seq integer primary key autoincrement,
    operation_id text not null unique,
    entry text not null
  );
  create table if not exists inbox (
    event_id text primary key,
    seq integer not null unique,
    topic text not null,
    kind text not null,
    payload text not null,
    status text not null check (status in ('waiting', 'leased', 'failed', 'finished')),
    attempts integer not null,
    due_ms integer not null,
    lease_id text,
    finished_seq integer unique,
    reason text
  );
  create index if not exists inbox_by_status on inbox (status, seq);
  create index if not exists inbox_by_topic on inbox (topic, seq);
  create table if not exists pins (bot_id text primary key, pin text not null);
`;

/**
 * Keeps the state in one database file of `node:sqlite` that its owner alone
 * can read (0600), in WAL mode. Several processes of one machine may share it;
 * what is kept is committed and on the disk when a call resolves. Call
 * `close()` on it before the program ends.
 *
 * @throws ConfigurationError a limit is no integer from 1 to 1,000,000
 * @example
 * const platform = new AgentPlatform({ baseUrl, credentials, state: sqliteState('./alice.sqlite') });
 */
export function sqliteState(path: string, limits: StateLimits = {}): ClientState {
  const full = readStateLimits(limits);
  const file = resolve(path);
  let database: DatabaseSync | undefined;
  return {
    open: async (owner) => {
      database ??= await openDatabase(file);
      return openState(database, file, owner, full);
    },
    close: async () => {
      database?.close();
      database = undefined;
    },
  };
}

async function openDatabase(file: string): Promise<DatabaseSync> {
  // Loaded when it is needed: Node.js 22 calls it experimental on stderr.
  const { DatabaseSync } = await import('node:sqlite');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite would make it readable for others; its companions take after it.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    database.exec('pragma journal_mode = wal');
    // In WAL mode a commit is on the disk with `full` only.
    database.exec('pragma synchronous = full');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openState(database: DatabaseSync, file: string, owner: StateOwner, limits: FullStateLimits): OpenedState {
  writing(database, () => {
    const format = Number(database.prepare('pragma user_version').get()?.['user_version']);
    if (format > stateFormat) {
      throw new StateError('state_newer', `${file} was written by a later version of this package. Update this one.`);
    }
    database.exec(schema);
    database.exec(`pragma user_version = ${stateFormat}`);
    const { origin, bot_id } = owner;
    database.prepare('insert or ignore into owner (one, origin, bot_id) values (1, ?, ?)').run(origin, bot_id);
    const stored = database.prepare('select origin, bot_id from owner').get();
    refuseOtherOwner({ origin: String(stored?.['origin']), bot_id: String(stored?.['bot_id']) }, owner, file);
  });
  return {
    outbox: sqlitePending(database, messageTable, limits.outboxMax, ({ envelope }) => envelope.client_message_id),
    operations: sqlitePending(database, operationTable, limits.outboxMax, ({ operation_id }) => operation_id),
    inbox: new SqliteInbox(database, limits),
    pins: sqlitePins(database),
  };
}

// Names of our own, the only thing in a statement that cannot be bound.
interface PendingTable {
  readonly name: string;
  readonly id: string;
}
const messageTable: PendingTable = { name: 'outbox', id: 'client_message_id' };
const operationTable: PendingTable = { name: 'operations', id: 'operation_id' };

function sqlitePending<Entry>(
  database: DatabaseSync,
  { name, id: column }: PendingTable,
  max: number,
  idOf: (entry: Entry) => string,
): PendingStore<Entry> {
  return {
    keep: async (entry) =>
      writing(database, () => {
        const id = idOf(entry);
        if (database.prepare(`select 1 from ${name} where ${column} = ?`).get(id) !== undefined) return 'known';
        if (Number(database.prepare(`select count(*) as n from ${name}`).get()?.['n']) >= max) return 'full';
        database.prepare(`insert into ${name} (${column}, entry) values (?, ?)`).run(id, JSON.stringify(entry));
        return 'kept';
      }),
    list: async () =>
      database
        .prepare(`select entry from ${name} order by seq`)
        .all()
        // The border to what this package has written.
        .map((row): Entry => JSON.parse(String(row['entry']))),
    remove: async (id) => {
      database.prepare(`delete from ${name} where ${column} = ?`).run(id);
    },
  };
}

function sqlitePins(database: DatabaseSync): PinStore {
  const get = (botId: string): Pin | undefined => {
    const row = database.prepare('select pin from pins where bot_id = ?').get(botId);
    return row === undefined ? undefined : JSON.parse(String(row['pin']));
  };
  return {
    get: async (botId) => get(botId),
    keep: async (pin) => {
      database.prepare('insert or ignore into pins (bot_id, pin) values (?, ?)').run(pin.bot_id, JSON.stringify(pin));
      return get(pin.bot_id) ?? pin;
    },
    replace: async (pin) => {
      database.prepare('insert or replace into pins (bot_id, pin) values (?, ?)').run(pin.bot_id, JSON.stringify(pin));
    },
    list: async () =>
      database
        .prepare('select pin from pins order by bot_id')
        .all()
        .map((row): Pin => JSON.parse(String(row['pin']))),
  };
}
