import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../errors.ts';
import { isRecord, parseJson } from '../json.ts';
import type { StateOwner } from './client-state.ts';
import { readFolderInbox, readText } from './folder-inbox.ts';
import { refuseOtherOwner } from './state-owner.ts';

// The first versions stored a state as small files in a folder (format 1). Format
// 2 in `state.json` says that the state is in `state.sqlite` beside it; the
// first versions refuse to open such a folder.
const fenceName = 'state.json';
const fenceFormat = 2;

const parts = ['inbox', 'outbox', 'operations', 'pins'] as const;
type Part = (typeof parts)[number];

const importedName = /^(inbox|outbox|operations|pins)\.import-[0-9a-f]{12}$/;

/**
 * Moves a state of small files into the database, within the transaction of the
 * caller. A process that dies on the way leaves a state that the next start
 * completes:
 *
 * 1. The fence stops processes of the first versions that start from now on.
 * 2. Each part is renamed, so a process of a first version that still runs fails
 *    to write instead of writing files that are never read.
 * 3. The renamed parts are inserted, and their names recorded in `imports`.
 * 4. After the commit, `removeImportedFiles` deletes them.
 *
 * @throws StateError `state_of_other_agent`, `state_newer`, `state_unusable` (naming the files that cannot be read)
 */
export function importFolder(folder: string, database: DatabaseSync, owner: StateOwner): void {
  raiseFence(folder, owner);
  for (const part of parts) {
    const from = join(folder, part);
    if (existsSync(from)) renameSync(from, `${from}.import-${randomBytes(6).toString('hex')}`);
  }
  const done = importedParts(database);
  const unreadable: string[] = [];
  for (const name of readdirSync(folder)) {
    const part = partOf(name);
    if (part === undefined || done.has(name)) continue;
    importPart(part, join(folder, name), database, unreadable);
    database.prepare('insert into imports (name) values (?)').run(name);
  }
  if (unreadable.length === 0) return;
  throw new StateError(
    'state_unusable',
    `${unreadable.length} files of the state in ${folder} cannot be read: ${unreadable.slice(0, 5).join(', ')}. ` +
      'Restore them from a backup, or move them out of the folder to continue without them. Nothing was deleted; the next start imports the rest.',
  );
}

/** Deletes the imported files. A file that cannot be deleted stays, and is not imported again. */
export function removeImportedFiles(folder: string, database: DatabaseSync): void {
  for (const name of importedParts(database)) {
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // A read-only folder. Its name in `imports` prevents a second import.
    }
  }
}

function raiseFence(folder: string, owner: StateOwner): void {
  const file = join(folder, fenceName);
  if (existsSync(file)) {
    const stored = readJson(file);
    if (!isRecord(stored) || typeof stored['format'] !== 'number') {
      throw new StateError('state_unusable', `${file} does not name the owner of the state. Use another folder.`);
    }
    if (stored['format'] > fenceFormat) {
      throw new StateError(
        'state_newer',
        `${folder} was written by a later version of this package. Update this package.`,
      );
    }
    refuseOtherOwner({ origin: String(stored['origin']), bot_id: String(stored['bot_id']) }, owner, folder);
    if (stored['format'] === fenceFormat) return;
  }
  const temporary = `${file}.${randomBytes(6).toString('hex')}.part`;
  writeFileSync(temporary, `${JSON.stringify({ format: fenceFormat, ...owner })}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}

function importedParts(database: DatabaseSync): ReadonlySet<string> {
  const rows = database.prepare('select name from imports').all();
  return new Set(rows.map((row) => String(row['name'])));
}

function partOf(name: string): Part | undefined {
  return parts.find((part) => part === importedName.exec(name)?.[1]);
}

function importPart(part: Part, folder: string, database: DatabaseSync, unreadable: string[]): void {
  if (part === 'inbox') {
    const insert = database.prepare(eventInsertion);
    for (const { order: _, ...row } of readFolderInbox(folder, unreadable)) insert.run(row);
    return;
  }
  const entries = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ file: join(folder, name), value: readJson(join(folder, name)) }));
  const read = part === 'pins' ? toPin : toPending;
  const rows = entries.flatMap(({ file, value }) => {
    const row = read(value);
    if (row === undefined) unreadable.push(file);
    return row ?? [];
  });
  const insert = database.prepare(insertions[part]);
  for (const { id, entry } of rows.toSorted((one, other) => one.order - other.order)) {
    insert.run(id, JSON.stringify(entry));
  }
}

const insertions: Readonly<Record<Exclude<Part, 'inbox'>, string>> = {
  outbox: 'insert or ignore into outbox (client_message_id, entry) values (?, ?)',
  operations: 'insert or ignore into operations (operation_id, entry) values (?, ?)',
  pins: 'insert or ignore into pins (bot_id, pin) values (?, ?)',
};

const eventInsertion = `
  insert or ignore into inbox (seq, finished_seq, event_id, topic, kind, payload, status, attempts, due_ms, lease_id, reason)
  values (
    (select coalesce(max(seq), 0) + 1 from inbox),
    iif(:status = 'finished', (select coalesce(max(finished_seq), 0) + 1 from inbox), null),
    :event_id, :topic, :kind, :payload, :status, :attempts, :due_ms, :lease_id, :reason
  )`;

interface Row {
  readonly id: string;
  readonly order: number;
  readonly entry: object;
}

function toPin(value: unknown): Row | undefined {
  if (!isRecord(value) || typeof value['bot_id'] !== 'string' || typeof value['public_key'] !== 'string') return;
  return { id: value['bot_id'], order: 0, entry: value };
}

function toPending(value: unknown): Row | undefined {
  if (!isRecord(value) || typeof value['order'] !== 'number' || !isRecord(value['entry'])) return;
  const { order, entry } = value;
  const id = isRecord(entry['envelope']) ? entry['envelope']['client_message_id'] : entry['operation_id'];
  return typeof id === 'string' ? { id, order, entry } : undefined;
}

function readJson(file: string): unknown {
  return parseJson(readText(file) ?? '');
}
