import { randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileStorage } from '../../files/storage.ts';
import { isUnreadableFileError } from '../../files/storage-failure.ts';
import { undefinedIfMissing } from '../../platform/error-facts.ts';
import type { BulkSession } from '../../store/bulk-session.ts';
import { makePrivateFolder, syncPath } from '../repository/durable-commands.ts';
import { objectPath } from '../repository/folders.ts';
import { formatListedFile, type ListedFile, type Manifest } from '../repository/manifest.ts';
import { writeCompressed, writeWithDigest } from '../repository/stream-commands.ts';
import { type ProgressReporter, readReferencedFiles } from './dump-commands.ts';

/** The number of concurrent copies; most of the time a copy waits for the disk. */
const atOnce = 8;

export function fileListPath(folder: string): string {
  return join(folder, 'files.txt.gz');
}

interface FileCopy {
  readonly session: BulkSession;
  readonly storage: FileStorage;
  /** The folder of all backups, which share file copies. */
  readonly repository: string;
  /** The folder of this backup. */
  readonly folder: string;
  readonly report: ProgressReporter;
}

/**
 * Copies every file of the snapshot that no earlier backup contains, and writes the file list. A file that is missing
 * or damaged in the storage is listed as lost, because a backup without this file is better than none.
 */
export async function copyFiles(parts: FileCopy): Promise<Pick<Manifest, 'files' | 'lost_files'>> {
  const { session, repository, folder, report } = parts;
  const lost: string[] = [];
  const folders = new Set<string>();
  let [count, bytes] = [0, 0];
  async function* lines() {
    for await (const page of readReferencedFiles(session)) {
      for (let at = 0; at < page.length; at += atOnce) {
        const files = page.slice(at, at + atOnce);
        const copied = await Promise.all(files.map((file) => copyOne(parts, file)));
        for (const [index, file] of files.entries()) {
          if (copied[index] === 'lost') {
            lost.push(file.key);
            continue;
          }
          if (copied[index] === 'new') folders.add(dirname(join(repository, objectPath(file.sha256))));
          count += 1;
          bytes += file.bytes;
          yield Buffer.from(formatListedFile(file));
        }
      }
      if (page.length > 0) report(`${count} files`);
    }
  }
  const list = await writeCompressed(fileListPath(folder), lines());
  for (const path of folders) await syncPath(path);
  return { files: { count, bytes, list_bytes: list.bytes, sha256: list.sha256 }, lost_files: lost };
}

async function copyOne({ storage, repository }: FileCopy, file: ListedFile): Promise<'new' | 'shared' | 'lost'> {
  const target = join(repository, objectPath(file.sha256));
  if ((await undefinedIfMissing(stat(target)))?.size === file.bytes) return 'shared';
  const source = await storage.open(file.key).catch(undefinedIfUnreadable);
  if (source === undefined) return 'lost';
  await makePrivateFolder(dirname(target));
  const unfinished = join(repository, 'files', `.new-${randomBytes(8).toString('hex')}`);
  const written = await writeWithDigest(unfinished, source.stream).catch(undefinedIfUnreadable);
  if (written?.bytes !== file.bytes || written.sha256 !== file.sha256) {
    await rm(unfinished, { force: true });
    return 'lost';
  }
  await rename(unfinished, target);
  return 'new';
}

// An unreadable file does not fail the backup.
function undefinedIfUnreadable(error: unknown): undefined {
  if (!isUnreadableFileError(error)) throw error;
}
