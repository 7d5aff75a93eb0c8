import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStorage } from '../../files/storage.ts';
import { serverVersion } from '../../platform/versions.ts';
import { type BulkSession, openPgliteBulkSession, openPostgresBulkSession } from '../../store/bulk-session.ts';
import { freeBytesAt, reservedDiskBytes } from '../../store/embedded/free-space.ts';
import { fileRemovalLockId } from '../../store/postgres/advisory-locks.ts';
import { makePrivateFolder, writeFileAtomically } from '../repository/durable-commands.ts';
import { objectPath } from '../repository/folders.ts';
import type { JournalPosition } from '../repository/journal-line.ts';
import { makeBackupKey } from '../repository/key-queries.ts';
import { backupFormat, type Manifest, signedManifestText } from '../repository/manifest.ts';
import { BackupRefusal } from '../repository/refusal.ts';
import { dumpTables, type ProgressReporter, readReferencedFiles } from './dump-commands.ts';
import { copyFiles } from './file-copy-commands.ts';

/** A database to back up: a PostgreSQL server, or a copy of an embedded database's folder. */
export type BackupSource = { readonly databaseUrl: string } | { readonly copy: string };

export interface BackupPlan {
  readonly repository: string;
  /** The unfinished folder of this backup. */
  readonly folder: string;
  readonly name: string;
  readonly number: number;
  readonly createdAt: string;
  readonly secret: string;
  readonly journal: readonly JournalPosition[];
  readonly source: BackupSource;
}

/** Fills a backup folder; its manifest is written last. */
export async function makeBackup(plan: BackupPlan, storage: FileStorage, report: ProgressReporter): Promise<Manifest> {
  const { repository, folder, source } = plan;
  const session = await ('copy' in source
    ? openPgliteBulkSession(source.copy)
    : openPostgresBulkSession(source.databaseUrl));
  try {
    // Locks before the snapshot is taken, so that no file of the snapshot is removed until all files are copied.
    if (session.kind === 'postgresql') await session.query('select pg_advisory_lock($1)', [fileRemovalLockId]);
    await session.query('begin isolation level repeatable read, read only');
    await requireRoom(session, repository);
    await makePrivateFolder(join(folder, 'tables'));
    await makePrivateFolder(join(repository, 'files'));
    const described = await dumpTables(session, folder, report);
    const copied = await copyFiles({ session, storage, repository, folder, report });
    const key = makeBackupKey(plan.secret);
    const content: Omit<Manifest, 'mac'> = {
      format: backupFormat,
      name: plan.name,
      number: plan.number,
      created_at: plan.createdAt,
      server_version: serverVersion,
      ...described,
      ...copied,
      journal: [...plan.journal],
      key_id: key.id,
    };
    const manifest: Manifest = { ...content, mac: key.sign(signedManifestText(content)) };
    await writeFileAtomically(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    await session.close();
  }
}

// Uses the table sizes as an upper limit, because the dumps are compressed. Omits files that earlier backups contain.
async function requireRoom(session: BulkSession, repository: string): Promise<void> {
  const [row] = await session.query<{ bytes: string }>(
    `select coalesce(sum(pg_table_size(oid)), 0)::text as bytes from pg_class where relkind = 'r'
       and relnamespace = (select relnamespace from pg_class where oid = 'migrations'::regclass)`,
  );
  let bytes = Number(row?.bytes);
  for await (const page of readReferencedFiles(session)) {
    for (const file of page) {
      const found = await stat(join(repository, objectPath(file.sha256))).catch(() => undefined);
      if (found?.size !== file.bytes) bytes += file.bytes;
    }
  }
  refuseWithoutDiskSpace(repository, bytes);
}

export function refuseWithoutDiskSpace(folder: string, bytes: number): void {
  const free = freeBytesAt(folder);
  if (free >= bytes + reservedDiskBytes) return;
  const mebibytes = (size: number) => `${Math.ceil(size / 1024 / 1024)} MiB`;
  const message = `Not enough disk space at ${folder}: up to ${mebibytes(bytes + reservedDiskBytes)} are required, ${mebibytes(free)} are free. Free space, remove old backups with "backup prune", or choose another PLATFORM_BACKUP_DIR.`;
  throw new BackupRefusal('no_space', message);
}
