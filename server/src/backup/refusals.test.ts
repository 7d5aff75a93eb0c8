import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverAt } from '../../testing/backup/community.ts';
import { realFile } from '../../testing/files/real-files.ts';
import { type Installation, makeInstallation, statusOf } from '../../testing/installation.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { captureLog } from '../../testing/test-server.ts';
import { systemClock } from '../platform/clock.ts';
import { readSettings } from '../platform/settings/settings.ts';
import { sha256 } from '../platform/sha256.ts';
import { startBackups } from './schedule-commands.ts';
import { toKey } from './shelf/key-queries.ts';
import { type Manifest, signedText } from './shelf/manifest.ts';

const root = mkdtempSync(join(tmpdir(), 'backup-refusals-'));
const shelf = join(root, 'backups');
const made: Installation[] = [];
const install = (env: Readonly<Record<string, string>> = {}) => {
  const installation = makeInstallation({ PLATFORM_BACKUP_DIR: shelf, ...env });
  made.push(installation);
  return installation;
};
afterAll(async () => {
  for (const installation of made) await installation.remove();
  rmSync(root, { recursive: true, force: true });
});

const origin = install();
let name = '';
let secret = '';
let token = '';
beforeAll(async () => {
  const instance = await origin.start();
  const server = serverAt(instance, origin);
  token = (await server.register('alice')).token;
  await server.register('bob_');
  await server.grant('alice', 1_000);
  const uploaded = await uploadFile(server.url, token, { file: realFile('upright.jpg') });
  expect(uploaded.status).toBe(201);
  const created = (await origin.operator('backup', 'create', '--json')).json() as { readonly name: string };
  name = created.name;
  secret = readFileSync(join(origin.dataDir, 'backup.key'), 'utf8').trim();
});

const keyFile = () => join(origin.dataDir, 'backup.key');
const failureOf = ({ err }: { readonly err: string }) =>
  (JSON.parse(err.slice(err.indexOf('{'))) as { error: { code: string; message: string } }).error;

/** A copy of the backups, of which one part is changed. */
function copyShelf(change: (copied: string, folder: string) => void): string {
  const copied = mkdtempSync(join(root, 'copy-'));
  cpSync(shelf, copied, { recursive: true });
  change(copied, join(copied, name));
  return copied;
}

function changeManifest(folder: string, change: (manifest: Manifest) => Manifest): void {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as Manifest)));
}

const signed = (manifest: Manifest, by: string): Manifest => ({
  ...manifest,
  mac: toKey(by).sign(signedText(manifest)),
});

function changeByte(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const objectsIn = (copied: string) =>
  readdirSync(join(copied, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('a restore refuses', () => {
  const table = (folder: string) => join(folder, 'tables', 'wallets.copy.gz');
  const otherKey = 'ab'.repeat(32);
  /** Gives an agent credits and makes every hash fit, as one can without the key. */
  const forge = (folder: string) => {
    writeFileSync(table(folder), 'richer');
    changeManifest(folder, (manifest) => ({
      ...manifest,
      tables: manifest.tables.map((found) =>
        found.name === 'wallets' ? { ...found, bytes: 6, sha256: sha256('richer') } : found,
      ),
    }));
  };

  it.each([
    ['a changed table', 'backup_damaged', /SHA-256 of tables\/wallets/, (_, folder) => changeByte(table(folder))],
    ['a cut table', 'backup_damaged', /wallets.* has 3 bytes/, (_, folder) => writeFileSync(table(folder), 'cut')],
    ['a lost table', 'backup_damaged', /wallets.* is missing/, (_, folder) => rmSync(table(folder))],
    ['a changed file', 'backup_damaged', /SHA-256 of the file/, (copied) => changeByte(objectsIn(copied)[0] ?? '')],
    ['a lost file', 'backup_damaged', /the file .* is missing/, (copied) => rmSync(objectsIn(copied)[0] ?? '')],
    ['a cut manifest', 'backup_damaged', /cut/, (_, folder) => writeFileSync(join(folder, 'manifest.json'), '{"form')],
    ['a forged backup', 'backup_forged', /signature/, (_, folder) => forge(folder)],
    [
      'a backup that was signed with another key',
      'backup_key_missing',
      /signed with the key/,
      (_, folder) =>
        changeManifest(folder, (manifest) => signed({ ...manifest, key_id: toKey(otherKey).id }, otherKey)),
    ],
    [
      'a backup of a later version',
      'backup_newer',
      /schema this version does not know/,
      (_, folder) =>
        changeManifest(folder, (manifest) =>
          signed({ ...manifest, migrations: [...manifest.migrations, '9999-later'] }, secret),
        ),
    ],
  ] satisfies [string, string, RegExp, (copied: string, folder: string) => void][])(
    '%s, and leaves nothing behind',
    async (_, code, reason, change) => {
      const installation = install({ PLATFORM_BACKUP_DIR: copyShelf(change) });
      const refused = await installation.operator('backup', 'restore', name, '--key-file', keyFile(), '--json');
      expect(failureOf(refused)).toMatchObject({ code, message: expect.stringMatching(reason) });
      expect(refused.exitCode).toBe(1);
      const left = existsSync(installation.dataDir) ? readdirSync(installation.dataDir, { recursive: true }) : [];
      expect(left.filter((path) => !/^(in-use\.lock|files(\/incoming|\/[0-9a-f]{2})?)$/.test(String(path)))).toEqual(
        [],
      );
    },
  );

  it('a backup without its key, unless its origin need not be proved', async () => {
    const installation = install();
    const refused = await installation.operator('backup', 'restore', name, '--json');
    expect(failureOf(refused)).toMatchObject({ code: 'backup_key_missing' });
  });

  it('to lose what an installation has, unless it is told to', async () => {
    expect(failureOf(await origin.operator('backup', 'restore', name, '--json'))).toMatchObject({
      code: 'server_runs',
    });
    await origin.stop();
    expect(failureOf(await origin.operator('backup', 'restore', name, '--json'))).toMatchObject({ code: 'not_empty' });
    const replaced = await origin.operator('backup', 'restore', name, '--replace');
    expect(replaced.err + replaced.out).toContain('the ledger is consistent');
    const { url } = await origin.start();
    expect(await statusOf(url, token)).toBe(200);
  });
});

describe('scheduled backups', () => {
  it('are made, verified and pruned by the server, and what was killed is removed', async () => {
    await origin.stop();
    const instance = await origin.start();
    for (const folder of ['.new-0', '.scratch-0', 'files/.new-0']) mkdirSync(join(shelf, folder), { recursive: true });
    // Of an installation whose clock was a year ahead.
    const future = '000007-20271123T000000Z';
    cpSync(join(shelf, name), join(shelf, future), { recursive: true });
    changeManifest(join(shelf, future), (manifest) =>
      signed({ ...manifest, name: future, number: 7, created_at: '2027-11-23T00:00:00.000Z' }, secret),
    );
    changeManifest(join(shelf, name), (manifest) =>
      signed({ ...manifest, created_at: '2026-01-01T00:00:00.000Z' }, secret),
    );
    const { log, logged } = captureLog('info');
    const backups = startBackups(
      {
        ...{ settings: readSettings(origin.env), store: instance.store, clock: systemClock, removalTime: systemClock },
        ...{ journal: { positions: async () => [] }, shelf, log },
      },
      { firstAfterMs: 0, checkEveryMs: 1_000_000 },
    );
    await expect.poll(() => logged(), { timeout: 120_000 }).toContain('backup made');
    await backups.settled();
    backups.close();
    const { backups: listed } = (await origin.operator('backup', 'list', '--json')).json() as {
      readonly backups: readonly { readonly name: string; readonly verified_at: string | null }[];
    };
    expect(listed.map((found) => [found.name.slice(0, 6), found.verified_at !== null])).toEqual([
      ['000008', true],
      ['000007', false],
    ]);
    expect(readdirSync(shelf).filter((found) => /^\.(new|scratch|old)-/.test(found))).toEqual([]);
    expect(objectsIn(shelf)).toHaveLength(2);
    const { checks } = (await origin.operator('doctor', '--json')).json() as {
      readonly checks: readonly { readonly name: string; readonly state: string }[];
    };
    for (const check of ['backups', 'verified'])
      expect(checks).toContainEqual(expect.objectContaining({ name: check, state: 'ok' }));
  });
});
