import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { RecordActs } from '../../audit/audit-commands.ts';
import { hasServer } from '../../events/slot-queries.ts';
import type { FileStorage } from '../../files/storage.ts';
import { newId } from '../../platform/new-id.ts';
import { writeFact } from '../../store/facts/platform-facts.ts';
import type { Reader, Store } from '../../store/store.ts';
import { compareFiles, readNamedKeys } from '../file-comparison-queries.ts';
import {
  ForeignStorage,
  findStorageId,
  formatCopyMark,
  parseCopyMark,
  requireOwnStorage,
  storageFact,
} from '../storage-claim-commands.ts';
import { type CopyCounts, type CopyParts, copyNamedFiles } from './copy-commands.ts';
import { openCopyLog } from './copy-log-commands.ts';

/** The step needs a database that no server uses. */
export class ServerRuns extends Error {
  override readonly name = 'ServerRuns';
}

/** What a copy or a move is made with. */
export interface MoveParts extends Omit<CopyParts, 'log'> {
  readonly dataDir: string;
  readonly record: RecordActs;
}

/** How a move ends. */
export interface Finish {
  /** Whether files that the source lacks are given up. */
  readonly isWithoutLost: boolean;
}

/**
 * Copies the files of a database to another storage. Until `finish` no server starts with the target, because its id
 * says that it is a copy; from then on none starts with the source, because the target and the database have a new id.
 * Each step may be killed, and is done again by the next run.
 */
export async function moveStorage(
  parts: MoveParts,
  finish?: Finish,
): Promise<CopyCounts & { readonly moved: boolean }> {
  const { store, from, to, dataDir } = parts;
  if (finish !== undefined) await store.read((reader) => requireNoServer(store, reader));
  const known = await store.read(findStorageId);
  const present = await to.readId();
  if (present !== undefined && present === known) return await describeMoved(store, to);
  const mark = present === undefined ? undefined : parseCopyMark(present);
  // The run that gave the database the new id was killed before the target had it.
  const isSwitched = mark !== undefined && mark.id === known;
  if (!isSwitched) await requireOwnStorage(store, from);
  const sourceId = known ?? 'none';
  const isOwnCopy = isSwitched || mark?.sourceId === sourceId;
  const newStorageId = mark !== undefined && isOwnCopy ? mark.id : await claimTarget(store, to, present, sourceId);
  const logPath = join(dataDir, 'storage-copy.log');
  const log = await openCopyLog(logPath, newStorageId);
  const counts = await copyNamedFiles({ ...parts, log });
  if (finish === undefined) return { ...counts, moved: false };
  if (counts.lost.length > 0 && !finish.isWithoutLost) return { ...counts, moved: false };
  const { extra } = await compareFiles(store, to);
  for (const key of extra) await to.remove(key);
  if (!isSwitched) await switchTo(parts, newStorageId);
  await to.writeId(newStorageId);
  await rm(logPath, { force: true });
  return { ...counts, moved: true };
}

// An earlier run has finished.
async function describeMoved(store: Store, to: FileStorage) {
  const { named, missing } = await compareFiles(store, to);
  return { files: named - missing.length, bytes: 0, copied: 0, lost: [...missing], moved: true };
}

async function claimTarget(
  store: Store,
  to: FileStorage,
  present: string | undefined,
  sourceId: string,
): Promise<string> {
  if (present !== undefined) {
    throw new ForeignStorage(
      `${to.place} has the storage-id "${present}": it belongs to another installation, or was in use before. Choose an empty place; if it is not in use any more, remove its storage-id.`,
    );
  }
  await requireNoOtherFiles(store, to);
  await to.probe();
  const claimed = newId();
  await to.writeId(formatCopyMark(claimed, sourceId));
  return claimed;
}

async function requireNoOtherFiles(store: Store, to: FileStorage): Promise<void> {
  const present = new Set<string>();
  for await (const key of to.list()) present.add(key);
  for await (const keys of readNamedKeys(store)) for (const key of keys) present.delete(key);
  const [example] = present;
  if (example === undefined) return;
  throw new ForeignStorage(
    `${to.place} has ${present.size} file(s) that the database does not name, such as ${example}. Choose an empty place.`,
  );
}

async function switchTo({ store, to, record }: MoveParts, id: string): Promise<void> {
  await store.transact(async (writer) => {
    await requireNoServer(store, writer);
    await writeFact(writer, storageFact, id);
    await record(writer, [{ subject: to.place }]);
  });
}

// An embedded database has one process alone.
async function requireNoServer({ kind }: Store, reader: Reader): Promise<void> {
  if (kind === 'pglite') return;
  const query = async <Row>(text: string) => (await sql.raw<Row>(text).execute(reader)).rows;
  if (!(await hasServer(query))) return;
  const message = 'A server uses this database. Stop all its servers, wait 10 s, and finish the move then.';
  throw new ServerRuns(message);
}
