import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../credentials/make-folder.ts';
import { StateError } from '../errors.ts';
import { isSqliteBusy, loadSqlite } from '../load-sqlite.ts';
import type * as state from './client-state.ts';
import { findPinOfOtherAgent } from './find-other-holder.ts';
import { toRememberedEnvelope } from './remembered-envelopes.ts';
import { inboxSchemaSql, SqliteInbox, withWriteTransaction } from './sqlite-inbox.ts';
import { noncesSchemaSql, SqliteNonceStore } from './sqlite-nonces.ts';
import { SqlitePendingStore } from './sqlite-pending.ts';
import { type ResolvedStateLimits, resolveStateLimits } from './state-limits.ts';
import { refuseOtherOwner } from './state-owner.ts';

// The version of the stored format; a state of a later version is left unchanged. Version 2 added envelope nonces.
const stateFormat = 2;
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
  ${inboxSchemaSql}
  create table if not exists pins (bot_id text primary key, pin text not null);
  create table if not exists former_pins (pin text primary key);
  ${noncesSchemaSql}
`;

/**
 * Stores the state in a database file of `node:sqlite` that only its owner can read (0600), in WAL mode. Several
 * processes on one machine may share it; stored data is committed and on disk when a call resolves. `close()` closes
 * the file.
 *
 * @throws ConfigurationError a limit is not an integer from 1 to 1,000,000
 * @example
 * const platform = new AgentPlatform({ baseUrl, credentials, state: sqliteState('./alice.sqlite') });
 */
export function sqliteState(path: string, limits: state.StateLimits = {}): state.ClientState {
  return databaseState(resolve(path), resolveStateLimits(limits));
}

/**
 * Stores the state in `state.sqlite` in a folder that only its owner can open (0700).
 *
 * @throws ConfigurationError a limit is not an integer from 1 to 1,000,000
 * @example
 * const platform = new AgentPlatform({ baseUrl, credentials, state: folderState('./alice-state') });
 */
export function folderState(path: string, limits: state.StateLimits = {}): state.ClientState {
  return databaseState(join(resolve(path), 'state.sqlite'), resolveStateLimits(limits));
}

function databaseState(file: string, limits: ResolvedStateLimits): state.ClientState {
  let opened: DatabaseSync | undefined;
  return {
    open: async (owner) => {
      opened ??= openDatabase(file);
      const database = opened;
      const nonces = new SqliteNonceStore(database, limits.noncesMax);
      const outbox = new SqlitePendingStore<state.OutboxEntry>(database, {
        table: 'outbox',
        idColumn: 'client_message_id',
        max: limits.outboxMax,
        idOf: ({ envelope }) => envelope.client_message_id,
        onKeep: (entry) => nonces.record([toRememberedEnvelope(entry)]),
      });
      const operations = new SqlitePendingStore<state.PendingOperation>(database, {
        table: 'operations',
        idColumn: 'operation_id',
        max: limits.outboxMax,
        idOf: ({ operation_id }) => operation_id,
      });
      withWriteTransaction(database, () => {
        claim(database, owner, file);
        // Adds missing nonces: a process with an earlier version of the package may store entries without them.
        nonces.record(outbox.read().map(toRememberedEnvelope));
      });
      return { outbox, operations, inbox: new SqliteInbox(database, limits), pins: sqlitePins(database), nonces };
    },
    close: async () => {
      opened?.close();
      opened = undefined;
    },
  };
}

function claim(database: DatabaseSync, owner: state.StateOwner, file: string): void {
  const format = Number(database.prepare('pragma user_version').get()?.['user_version']);
  if (format > stateFormat) {
    throw new StateError('state_newer', `${file} was written by a later version of this package. Update this package.`);
  }
  database.exec(schema);
  database.exec(`pragma user_version = ${stateFormat}`);
  const { origin, bot_id } = owner;
  database.prepare('insert or ignore into owner (one, origin, bot_id) values (1, ?, ?)').run(origin, bot_id);
  const stored = database.prepare('select origin, bot_id from owner').get();
  refuseOtherOwner({ origin: String(stored?.['origin']), bot_id: String(stored?.['bot_id']) }, owner, file);
}

function openDatabase(file: string): DatabaseSync {
  const sqlite = loadSqlite();
  if (sqlite === undefined) {
    throw new StateError(
      'state_unusable',
      `${file} cannot be opened: this JavaScript runtime has no node:sqlite. Use Node.js 22.19 or later without --no-experimental-sqlite. memoryState() works without it, but loses pending operations and received events when the process ends.`,
    );
  }
  makeFolder(dirname(file));
  // SQLite would create a file that other users can read; `-wal` and `-shm` inherit its mode. An existing file is not
  // opened, because closing it would release this process's locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const database = new sqlite.DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    enterWal(database);
    // In WAL mode, only `full` guarantees that a commit is on disk.
    database.exec('pragma synchronous = full');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

// SQLite refuses the switch to WAL mode immediately, despite its timeout, while another process writes, for example
// if several processes create the database.
function enterWal(database: DatabaseSync): void {
  const deadline = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isSqliteBusy(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function sqlitePins(database: DatabaseSync): state.PinStore {
  const read = (from: string, ...values: string[]) =>
    database
      .prepare(`select pin from ${from}`)
      .all(...values)
      .map((row): state.Pin => JSON.parse(String(row['pin'])));
  const list = () => read('pins order by bot_id');
  const find = (botId: string) => read('pins where bot_id = ?', botId)[0];
  const write = (pin: state.Pin) => {
    const other = findPinOfOtherAgent([...list(), ...read('former_pins')], pin);
    if (other !== undefined) return other;
    database.prepare('insert or ignore into former_pins select pin from pins where bot_id = ?').run(pin.bot_id);
    database.prepare('insert or replace into pins (bot_id, pin) values (?, ?)').run(pin.bot_id, JSON.stringify(pin));
    return pin;
  };
  return {
    get: async (botId) => find(botId),
    keep: async (pin) => find(pin.bot_id) ?? withWriteTransaction(database, () => find(pin.bot_id) ?? write(pin)),
    replace: async (pin) => withWriteTransaction(database, () => write(pin)),
    list: async () => list(),
  };
}
