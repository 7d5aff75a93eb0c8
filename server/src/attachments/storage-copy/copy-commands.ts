import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IncomingFolder } from '../../files/incoming-folder.ts';
import type { FileStorage } from '../../files/storage.ts';
import type { Store } from '../../store/store.ts';
import type { NamedFile } from '../attachment.ts';
import { findDamage } from '../damage/verified-files-queries.ts';
import { readFileRecords } from '../file-comparison-queries.ts';
import type { CopyLog } from './copy-log-commands.ts';

/** As many files are copied at once: each waits for a disk or a network most of the time. */
const atOnce = 8;

/** From where to where the files of a database are copied. */
export interface CopyParts {
  readonly store: Store;
  readonly from: FileStorage;
  readonly to: FileStorage;
  /** The folder from which files are moved into the target. */
  readonly incoming: IncomingFolder;
  readonly log: CopyLog;
  readonly report: (text: string) => void;
}

/** What was copied. */
export interface CopyCounts {
  files: number;
  bytes: number;
  /** Of them, those that this run has copied. */
  copied: number;
  /** Files that the source lacks, or has with other bytes. */
  lost: string[];
}

/**
 * Copies every file that the database names, unless the target has it. Each is read back from the target and compared
 * with the hash of its record, once: the log remembers it.
 */
export async function copyNamedFiles(parts: CopyParts): Promise<CopyCounts> {
  const { store, to, log, report } = parts;
  const present = new Set<string>();
  for await (const key of to.list()) present.add(key);
  const counts: CopyCounts = { files: 0, bytes: 0, copied: 0, lost: [] };
  for await (const page of readFileRecords(store)) {
    for (let at = 0; at < page.length; at += atOnce) {
      const files = page.slice(at, at + atOnce);
      const outcomes = await Promise.all(
        files.map((file) => (present.has(file.key) && log.has(file.key) ? 'present' : copyOne(parts, file, present))),
      );
      for (const [index, { key, bytes }] of files.entries()) {
        const outcome = outcomes[index];
        if (outcome === 'lost') {
          counts.lost.push(key);
          continue;
        }
        counts.files += 1;
        counts.bytes += bytes;
        if (outcome === 'copied') counts.copied += 1;
      }
      report(`${counts.files} files, ${Math.floor(counts.bytes / 1024 / 1024)} MiB; ${counts.copied} copied now`);
    }
  }
  counts.lost = await stillNamed(store, counts.lost);
  return counts;
}

async function copyOne(
  { from, to, incoming, log }: CopyParts,
  file: NamedFile,
  present: ReadonlySet<string>,
): Promise<'copied' | 'present' | 'lost'> {
  const { key } = file;
  if (present.has(key) && (await isAt(to, file))) {
    await log.add(key);
    return 'present';
  }
  const source = await from.open(key);
  if (source === undefined) return 'lost';
  const { file: path, discard } = await incoming.open();
  try {
    const written = await write(source.stream, path);
    if (written.bytes !== file.bytes || written.sha256 !== file.sha256) return 'lost';
    await to.prepare(path);
    await to.put(key, path);
  } finally {
    await discard();
  }
  if (!(await isAt(to, file))) throw new Error(`${to.place} has stored ${key} with other bytes.`);
  await log.add(key);
  return 'copied';
}

async function isAt(storage: FileStorage, file: NamedFile): Promise<boolean> {
  return (await findDamage(storage, file)) === undefined;
}

/** Writes chunks to a file, and returns their digest. */
async function write(chunks: Readable, path: string) {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      bytes += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(chunks, count, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return { bytes, sha256: hash.digest('hex') };
}

// Retention may have removed a file after its page was read.
async function stillNamed(store: Store, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const lost = new Set<string>();
  for await (const page of readFileRecords(store)) for (const { key } of page) if (keys.includes(key)) lost.add(key);
  return [...lost];
}
