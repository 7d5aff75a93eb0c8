import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../../platform/error-facts.ts';

type Query = <Row>(text: string) => Promise<readonly Row[]>;

/** Files that PostgreSQL recreates at each start. */
const leftOut = /(^|\/)(pg_internal\.init|postmaster\.pid|postmaster\.opts)$/;

/**
 * Copies the folder of an embedded database while it serves requests, as a base backup does. It runs a checkpoint,
 * copies the files while they change, and copies the write-ahead log last. Since the checkpoint, the log contains
 * complete copies of changed pages (full_page_writes), and opening the copy replays the log as after a crash. The copy
 * therefore contains everything that was committed before its last step began. Requests only wait for the checkpoint.
 * Throws if another checkpoint ran during the copy, because it removes the log.
 */
export async function copyEmbeddedFolder(folder: string, target: string, query: Query): Promise<void> {
  await query('checkpoint');
  const start = await readCheckpoint(query);
  // This file is copied first, because it contains the position in the log at which the replay starts.
  await copy(folder, target, 'global/pg_control');
  const files = (await listFiles(folder)).filter((file) => !leftOut.test(file) && file !== 'global/pg_control');
  for (const file of files) if (!isLog(file)) await copy(folder, target, file);
  for (const segment of await listLog(folder, start.segment)) await copy(folder, target, segment);
  const { redo } = await readCheckpoint(query);
  if (redo !== start.redo) throw new Error('A checkpoint ran while the embedded database was copied.');
}

interface Checkpoint {
  readonly redo: string;
  /** The first log file that the replay needs. */
  readonly segment: string;
}

async function readCheckpoint(query: Query): Promise<Checkpoint> {
  const [row] = await query<Checkpoint>(
    'select redo_lsn::text as redo, pg_walfile_name(redo_lsn) as segment from pg_control_checkpoint()',
  );
  if (row === undefined) throw new Error('The embedded database has no checkpoint.');
  return row;
}

const isLog = (file: string) => /^pg_wal\/[0-9A-F]{24}$/.test(file);

// Segment names ascend with the log. Call this after copying all other files, to include their changes.
async function listLog(folder: string, first: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, 'pg_wal'));
  return names
    .filter((name) => isLog(`pg_wal/${name}`) && name >= first)
    .toSorted()
    .map((name) => `pg_wal/${name}`);
}

/** The names of folders end with a slash. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    return entry.isDirectory() ? `${path}/` : path;
  });
}

async function copy(from: string, to: string, file: string): Promise<void> {
  const target = join(to, file);
  await mkdir(file.endsWith('/') ? target : dirname(target), { recursive: true, mode: 0o700 });
  if (file.endsWith('/')) return;
  try {
    await copyFile(join(from, file), target, constants.COPYFILE_FICLONE);
  } catch (error) {
    // A table or an index was dropped during the copy; replaying the log drops it, too.
    if (errorCodeOf(error) !== 'ENOENT') throw error;
  }
}
