import { sql } from 'kysely';
import { day, minute } from '../../platform/clock.ts';
import { formatArray } from '../../store/statements/parameters.ts';
import type { ReferencedFile } from '../attachment.ts';
import { attachmentIdOf } from '../file-keys.ts';
import { findUnverifiedFiles, readFileRecords } from '../stored-file-queries.ts';
import { type FileFaultDependencies, recordFileFault } from './fault-commands.ts';
import { findStoredFileFault, type StoredFileFault } from './verify-files-queries.ts';

/** Each file is read once in this period. */
const periodMs = 30 * day;

/** The maximum number of bytes read per minute. In 30 days, this suffices for 5 TiB. */
const turnMaxBytes = 128 * 1024 * 1024;

/** The number of concurrent reads; most of the time a read waits for a disk or a network. */
const atOnce = 4;

interface DamagedFile extends StoredFileFault {
  readonly key: string;
}

/**
 * Reads files that have not been read for 30 days, up to a byte limit, and records their faults. Does nothing if
 * another instance has run this check within the last minute. Stops early once `isClosing()` is true.
 */
export async function checkUnreadFiles(
  parts: FileFaultDependencies,
  now: Date,
  isClosing: () => boolean,
): Promise<void> {
  const files = await findUnverifiedFiles(parts.store, new Date(now.getTime() - periodMs), now);
  if (files.length === 0 || !(await claimMinute(parts, now))) return;
  let bytes = 0;
  let failed: unknown;
  for (let at = 0; at < files.length && bytes < turnMaxBytes && !isClosing(); at += atOnce) {
    const some = files.slice(at, at + atOnce);
    bytes += some.reduce((sum, file) => sum + file.bytes, 0);
    await checkFiles(parts, some, now).catch(async (error: unknown) => {
      // If only this file is unreadable, the check of the storage succeeds and the other files are read.
      await parts.storage.check();
      failed ??= error;
    });
  }
  if (failed !== undefined) throw failed;
}

export async function checkAllFiles(parts: FileFaultDependencies, now: Date, report: (text: string) => void) {
  const damaged: DamagedFile[] = [];
  let [files, bytes] = [0, 0];
  for await (const page of readFileRecords(parts.store)) {
    for (let at = 0; at < page.length; at += atOnce) {
      const some = page.slice(at, at + atOnce);
      damaged.push(...(await checkFiles(parts, some, now)));
      files += some.length;
      bytes += some.reduce((sum, file) => sum + file.bytes, 0);
      report(`${files} files, ${Math.floor(bytes / 1024 / 1024)} MiB; ${damaged.length} damaged or missing`);
    }
  }
  return { files, bytes, damaged };
}

async function checkFiles(
  parts: FileFaultDependencies,
  files: readonly ReferencedFile[],
  now: Date,
): Promise<readonly DamagedFile[]> {
  const checked = await Promise.all(files.map((file) => checkStoredFile(parts, file)));
  const ids = formatArray(files.map(({ key }) => attachmentIdOf(key)));
  await parts.store.transact((writer) =>
    sql`update attachments set verified_at = ${now} where id = any(${ids}::uuid[])`.execute(writer),
  );
  return checked.filter((found) => found !== undefined);
}

/** Reads a file and records its fault, or clears the recorded fault of an intact file. */
export async function checkStoredFile(
  parts: FileFaultDependencies,
  file: ReferencedFile,
): Promise<DamagedFile | undefined> {
  const finding = await findStoredFileFault(parts.storage, file);
  if (finding === undefined && file.fault === null) return undefined;
  // The fault is not reported if retention has removed the file since its record was read.
  const isNamed = await recordFileFault(parts, file, finding);
  return finding === undefined || !isNamed ? undefined : { key: file.key, ...finding };
}

// The platform fact `file-check` is the time of the last run. A time in the future, from a wrong clock, is ignored.
async function claimMinute({ store }: FileFaultDependencies, now: Date): Promise<boolean> {
  const earliest = new Date(now.getTime() - 0.9 * minute).toISOString();
  const { rows } = await store.transact((writer) =>
    sql`
      insert into platform_facts (name, value) values ('file-check', ${now.toISOString()})
      on conflict (name) do update set value = excluded.value
      where platform_facts.value not between ${earliest} and excluded.value
      returning name`.execute(writer),
  );
  return rows.length > 0;
}
