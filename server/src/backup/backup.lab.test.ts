import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Community, endOrder, expectCommunity, makeCommunity, serverAt } from '../../testing/backup/community.ts';
import { damageCases, forgeCredit } from '../../testing/backup/damages.ts';
import {
  changeManifest,
  copyRepository,
  forgeTable,
  listStoredFiles,
  signManifest,
} from '../../testing/backup/repository-copies.ts';
import { expectRevocations, makeRevocableAgents, revokeAll } from '../../testing/backup/revocations.ts';
import { type Installation, type Instance, makeInstallation, readPassportStatus } from '../../testing/installation.ts';
import { captureLog, day } from '../../testing/test-server.ts';
import { removeExpiredFiles } from '../attachments/file-retention-commands.ts';
import { makeFolderStorage } from '../files/folder-storage.ts';
import { checkBackups } from '../operator/checks/backup-checks.ts';
import type { OperatorDependencies } from '../operator/parts.ts';
import { systemClock } from '../platform/clock.ts';
import { readSettings } from '../platform/settings/settings.ts';
import { openPostgresBulkSession } from '../store/bulk-session.ts';
import { lockFolder } from '../store/embedded/folder-lock.ts';
import { fileRemovalLockId, fileRemovalLockName, restoreLockId } from '../store/postgres/advisory-locks.ts';
import { tables } from '../store/tables/all-tables.ts';
import type { Manifest } from './repository/manifest.ts';
import { startScheduledBackups } from './schedule-commands.ts';

const root = makeTestFolder();
const repository = join(root, 'backups');
const keyFile = join(root, 'kept.key');
const made: Installation[] = [];
const install = (env: Readonly<Record<string, string>> = {}) => {
  const installation = makeInstallation({ PLATFORM_BACKUP_DIR: repository, ...env });
  made.push(installation);
  return installation;
};

let community: Community;
let owned: Awaited<ReturnType<typeof makeRevocableAgents>>;
/** Issued by a rotation after the backup. */
let newToken = '';
/** The name of the backup of the installation, which is then destroyed. */
let name = '';
let secret = '';

let copy: Awaited<ReturnType<typeof copyTemplateDatabase>>;
let postgres: Installation;
let onPostgres: Instance;
const embedded = install();

beforeAll(async () => {
  copy = await copyTemplateDatabase();
  postgres = install({ ...copy.environment });
  const origin = install();
  const server = serverAt(await origin.start(), origin);
  community = await makeCommunity(server);
  owned = await makeRevocableAgents(server);
  const created = await origin.operator('backup', 'create', '--json');
  name = (created.json() as { readonly name: string }).name;
  expect(name).toMatch(/^000001-/);
  newToken = await revokeAll(server, origin, owned);
  copyFileSync(join(origin.dataDir, 'backup.key'), keyFile);
  secret = readFileSync(keyFile, 'utf8').trim();
  await origin.stop();
});
afterAll(async () => {
  for (const installation of made) await installation.stop();
  await copy.drop();
});

const restore = (installation: Installation, ...options: string[]) =>
  installation.operator('backup', 'restore', name, '--key-file', keyFile, ...options);
const failureOf = ({ err }: { readonly err: string }) =>
  (JSON.parse(err.slice(err.indexOf('{'))) as { error: { code: string; message: string } }).error;
const unfinishedIn = (folder: string) => readdirSync(folder).filter((found) => /^\.(new|scratch|old)-/.test(found));

async function indexesOf(databaseUrl: string): Promise<readonly string[]> {
  const session = await openPostgresBulkSession(databaseUrl);
  const rows = await session.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where schemaname = 'public' order by indexdef`,
  );
  await session.close();
  return rows.map(({ indexdef }) => indexdef);
}

describe('a backup of a running server on PGlite', () => {
  it('restores into PostgreSQL, and from there into PGlite, with files, tokens and revocations', async () => {
    const indexes = await indexesOf(copy.environment.DATABASE_URL ?? '');
    expect(indexes.length).toBeGreaterThan(30);
    const restored = await restore(postgres);
    expect(await indexesOf(copy.environment.DATABASE_URL ?? '')).toEqual(indexes);
    expect(restored.err).not.toMatch(/There|not/);
    expect(restored.out).toContain('the ledger is consistent');
    onPostgres = await postgres.start();
    const server = serverAt(onPostgres, postgres);
    await expectCommunity(server, community);
    await expectRevocations(onPostgres, postgres, owned, newToken);
    await endOrder(server, community);
    expect((await postgres.operator('ledger', 'verify')).exitCode).toBe(0);
    const setSize = (bytes: number) =>
      onPostgres.store.transact((writer) =>
        sql`update attachments set preview_size_bytes = ${bytes} where id = ${owned.files.hidden}`.execute(writer),
      );
    await setSize(2 ** 52);
    const refused = failureOf(await postgres.operator('backup', 'create', '--json'));
    expect(refused).toMatchObject({ code: 'no_space', message: expect.stringMatching(/MiB are free/) });
    expect(unfinishedIn(repository)).toEqual([]);
    await setSize(1);
    const lost = [`${owned.files.hidden}.preview`];
    expect((await postgres.operator('backup', 'create', '--json')).json()).toMatchObject({ lost });

    copyEmptyDatabase(embedded.dataDir);
    copyFileSync(keyFile, join(embedded.dataDir, 'backup.key'));
    const again = await embedded.operator('backup', 'restore', 'newest', '--replace', '--json');
    expect(again.json()).toMatchObject({ database: 'postgresql', ledger_faults: 0, missing_files: lost });
    await expectRevocations(await embedded.start(), embedded, owned, newToken);
    expect((await embedded.operator('ledger', 'verify')).exitCode).toBe(0);
  });

  it('has every table, shares files by their hash, is private, and contains no key', () => {
    const names = readdirSync(repository).filter((found) => found.startsWith('0000'));
    expect(names).toHaveLength(2);
    expect(listStoredFiles(repository)).toHaveLength(2);
    for (const backup of names) {
      const manifest = JSON.parse(readFileSync(join(repository, backup, 'manifest.json'), 'utf8')) as Manifest;
      const left = ['event_places', 'event_processes', 'rate_windows'];
      const all = tables.map(({ meta }) => meta.tableName).filter((table) => !left.includes(table));
      expect(manifest.tables.map((table) => table.name)).toEqual(all.toSorted());
    }
    for (const entry of readdirSync(repository, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.name === 'in-use.lock') continue;
      expect((statSync(path).mode & 0o777).toString(8), path).toBe(entry.isDirectory() ? '700' : '600');
      if (!entry.name.endsWith('.copy.gz')) continue;
      expect(gunzipSync(readFileSync(path)).toString(), path).not.toContain(secret);
    }
  });

  it('keeps expired files until it has copied them, in this process or another', async () => {
    const terms = { unattachedFileHours: 24, detachedFileDays: 30 };
    const parts = { store: onPostgres.store, storage: makeFolderStorage(join(postgres.dataDir, 'files')), terms };
    const remove = () => removeExpiredFiles(parts, new Date(Date.now() + 2 * day));
    const release = parts.store.processLocks.lock(fileRemovalLockName);
    expect(await remove()).toBe(0);
    release();
    const other = await openPostgresBulkSession(copy.environment.DATABASE_URL ?? '');
    await other.query('select pg_advisory_lock($1)', [fileRemovalLockId]);
    expect(await remove()).toBe(0);
    await other.close();
    expect(await remove()).toBe(1);
  });
});

describe('a restore refuses', () => {
  it.each(damageCases)('%s, and leaves nothing behind', async (_, code, reason, change) => {
    const copied = copyRepository(repository, (folder) =>
      change({ folder: join(folder, name), copied: folder, secret }),
    );
    const installation = install({ PLATFORM_BACKUP_DIR: copied });
    const refused = await restore(installation, '--json');
    expect(failureOf(refused)).toMatchObject({ code, message: expect.stringMatching(reason) });
    expect(refused.exitCode).toBe(1);
    const left = existsSync(installation.dataDir) ? readdirSync(installation.dataDir, { recursive: true }) : [];
    expect(left.filter((path) => !/^(in-use\.lock|files(\/incoming|\/[0-9a-f]{2})?)$/.test(String(path)))).toEqual([]);
  });

  it('a backup from an installation with another kind of clock', async () => {
    const installation = install({ PLATFORM_CLOCK: 'test' });
    const refused = failureOf(await restore(installation, '--json'));
    expect(refused).toMatchObject({ code: 'foreign_clock', message: expect.stringContaining('Unset PLATFORM_CLOCK') });
    expect(existsSync(join(installation.dataDir, 'database'))).toBe(false);
  });

  it('a backup without its key', async () => {
    const refused = await install().operator('backup', 'restore', name, '--json');
    expect(failureOf(refused)).toMatchObject({ code: 'backup_key_missing' });
  });

  it('to delete the content of an installation, or one that a server or another command uses', async () => {
    const code = async (installation: Installation) => failureOf(await restore(installation, '--json')).code;
    expect(await code(postgres)).toBe('server_runs');
    expect(await code(install({ ...copy.environment }))).toBe('server_runs');
    await onPostgres.stop();
    expect(await code(postgres)).toBe('not_empty');
    const lock = await lockFolder(repository, 0);
    expect(await code(postgres)).toBe('backup_busy');
    lock.release();
    const other = await openPostgresBulkSession(copy.environment.DATABASE_URL ?? '');
    await other.query('select pg_advisory_lock($1)', [restoreLockId]);
    expect(await code(postgres)).toBe('backup_busy');
    await other.close();
  });

  it('rows that are invalid or do not match the manifest, and leaves the database unchanged', async () => {
    const reasonOf = async (table: string, change: (rows: string) => string) => {
      const copied = copyRepository(repository, (folder) => forgeTable(join(folder, name), table, change));
      const installation = install({ PLATFORM_BACKUP_DIR: copied, ...copy.environment });
      return failureOf(await restore(installation, '--unsigned', '--replace', '--json')).message;
    };
    const { customer, orderId } = community;
    expect(await reasonOf('wallets', (rows) => rows.slice(rows.indexOf('\n') + 1))).toMatch(/wallets has \d rows/);
    expect(await reasonOf('tokens', (rows) => rows.replaceAll(customer.id, orderId))).toMatch(
      /do not fit.*foreign key/,
    );
    const otherBytes = (rows: string) => rows.replace(/\b[0-9a-f]{64}\b/, '0'.repeat(64));
    expect(await reasonOf('attachments', otherBytes)).toMatch(/has another hash for the file/);
    const { url, stop } = await postgres.start();
    expect(await readPassportStatus(url, customer.token)).toBe(200);
    await stop();
  });

  it('to restore tokens without a journal, unless the operator has chosen what to do with them', async () => {
    const alone = copyRepository(repository, (folder) => rmSync(join(folder, 'journal'), { recursive: true }));
    const installation = install({ PLATFORM_BACKUP_DIR: alone, ...copy.environment });
    const cut = copyRepository(repository, (folder) => {
      for (const segment of readdirSync(join(folder, 'journal'))) truncateSync(join(folder, 'journal', segment), 9);
    });
    const withCut = install({ PLATFORM_BACKUP_DIR: cut });
    const ofCut = await withCut.operator('backup', 'restore', 'newest', '--key-file', keyFile);
    expect(ofCut.err).toMatch(/journal.*is truncated/);
    const refused = await restore(installation);
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toMatch(/may be undone.*--keep-tokens.*--revoke-tokens/s);
    expect((await restore(installation, '--keep-tokens', '--revoke-tokens')).exitCode).toBe(2);
    expect((await restore(installation, '--replace', '--revoke-tokens')).out).toMatch(/ended tokens +\d+/);
    const { url } = await installation.start();
    expect(await readPassportStatus(url, community.customer.token)).toBe(401);
  });

  it('to be verified with a fault in the ledger', async () => {
    const copied = copyRepository(repository, (folder) => forgeCredit(join(folder, name)));
    const installation = install({ PLATFORM_BACKUP_DIR: copied });
    const verified = await installation.operator('backup', 'verify', name, '--unsigned', '--json');
    expect(verified.json()).toMatchObject({
      right: false,
      fault_count: 1,
      verified_at: null,
      faults: [{ kind: 'wallet', id: community.customer.id }],
    });
    expect(verified.exitCode).toBe(1);
  });
});

describe('scheduled backups', () => {
  it('are made, verified and pruned by the server, which also removes the leftovers of killed backups', async () => {
    await embedded.stop();
    const { store } = await embedded.start();
    for (const folder of ['.new-0', '.scratch-0', 'files/.new-0'])
      mkdirSync(join(repository, folder), { recursive: true });
    // Simulates a backup by an installation whose clock was a year ahead.
    const future = '000007-20271123T000000Z';
    cpSync(join(repository, name), join(repository, future), { recursive: true });
    const change = (backup: string, changes: Partial<Manifest>) =>
      changeManifest(join(repository, backup), (manifest) => signManifest({ ...manifest, ...changes }, secret));
    for (const backup of readdirSync(repository).filter((found) => /^00000[12]/.test(found)))
      change(backup, { created_at: '2026-01-01T00:00:00.000Z' });
    change(future, { name: future, number: 7, created_at: '2027-11-23T00:00:00.000Z' });
    const { log, logged } = captureLog('info');
    const settings = readSettings(embedded.env);
    const parts = { settings, store, clock: systemClock, removalTime: systemClock, repository, log };
    const backups = startScheduledBackups(
      { ...parts, journal: { positions: async () => [] } },
      { firstAfterMs: 0, checkEveryMs: 1_000_000 },
    );
    await expect.poll(() => logged()).toContain('backup made');
    await backups.settled();
    backups.close();
    const { backups: listed } = (await embedded.operator('backup', 'list', '--json')).json() as {
      readonly backups: readonly { readonly name: string; readonly verified_at: string | null }[];
    };
    expect(listed.map((found) => [found.name.slice(0, 6), found.verified_at !== null])).toEqual([
      ['000008', true],
      ['000007', false],
    ]);
    expect(unfinishedIn(repository)).toEqual([]);
    expect(listStoredFiles(repository)).toHaveLength(2);
    const checked = await checkBackups({
      ...parts,
      store: { asItIs: async () => store },
    } as unknown as OperatorDependencies);
    for (const check of ['backups', 'verified'])
      expect(checked).toContainEqual(expect.objectContaining({ name: check, state: 'ok' }));
  });
});
