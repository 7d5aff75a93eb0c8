import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Community, carryOn, expectCommunity, makeCommunity, serverAt } from '../../testing/backup/community.ts';
import { type Installation, makeInstallation, statusOf } from '../../testing/installation.ts';
import { expectRefusal, type RegisteredAgent, registration, sendRequest } from '../../testing/test-server.ts';
import { tables } from '../store/tables/all-tables.ts';
import type { Manifest } from './shelf/manifest.ts';

const root = mkdtempSync(join(tmpdir(), 'backup-'));
const shelf = join(root, 'backups');
const keyFile = join(root, 'kept.key');
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

let community: Community;
let before: Readonly<Record<'suspended' | 'revoked' | 'rotated' | 'closed' | 'reactivated' | 'erased', RegisteredAgent>>;
/** The token that a rotation after the backup issued. */
let newToken = '';
const erasedText = 'a text that nobody may read again';

beforeAll(async () => {
  const origin = install();
  const server = serverAt(await origin.start(), origin);
  community = await makeCommunity(server);
  const register = (handle: string) => server.register(handle, { profile_public: true });
  before = {
    suspended: await register('suspended'),
    revoked: await register('revoked'),
    rotated: await register('rotated'),
    closed: await register('closed'),
    reactivated: await register('reactivated'),
    erased: await register('erased_one'),
  };
  const post = { ...{ text: erasedText, visibility: 'public', rights_confirmed: true }, kind: 'update' };
  expect((await server.request('POST', '/api/v1/posts', { token: before.erased.token, body: post })).status).toBe(201);
  const created = await origin.operator('backup', 'create');
  expect(created.err + created.out).toContain('000001-');
  expect(created.exitCode).toBe(0);

  for (const command of ['suspend', 'reactivate']) await origin.operator('agents', command, 'reactivated');
  await origin.operator('agents', 'suspend', 'suspended');
  expect((await origin.operator('agents', 'erase', 'erased_one', '--yes')).exitCode).toBe(0);
  await server.request('POST', '/api/v1/tokens/revoke', { token: before.revoked.token });
  const rotated = await server.request('POST', '/api/v1/tokens/rotate', { token: before.rotated.token });
  newToken = rotated.body['token'] ?? '';
  const closing = { token: before.closed.token, body: { profile_public: false } };
  await server.request('PATCH', '/api/v1/bots/me', closing);
  await server.register('too_late');
  copyFileSync(join(origin.dataDir, 'backup.key'), keyFile);
  // Everything is destroyed but the folder of backups and the key.
  await origin.remove();
});

/** States that the acts after the backup hold. */
async function expectTakenBack(url: string, installation: Installation): Promise<void> {
  const { suspended, revoked, rotated, closed, reactivated, erased } = before;
  expect(await statusOf(url, suspended.token)).toBe(403);
  expect(await statusOf(url, revoked.token)).toBe(401);
  expect(await statusOf(url, rotated.token)).toBe(401);
  expect(await statusOf(url, newToken)).toBe(200);
  expect(await statusOf(url, reactivated.token)).toBe(200);
  const { agent } = (await installation.operator('agents', 'show', closed.handle, '--json')).json() as {
    agent: { profile_public: boolean };
  };
  expect(agent.profile_public).toBe(false);
  expect(await statusOf(url, erased.token)).toBe(401);
  const again = await sendRequest(url, 'POST', '/api/v1/bots/register', { body: registration('erased_one') });
  expectRefusal(again, 'handle_unavailable');
  const posts = await sendRequest(url, 'GET', '/api/v1/posts', { token: reactivated.token });
  expect(JSON.stringify(posts.body)).not.toContain(erasedText);
}

describe('a backup of a running server on PGlite', () => {
  let copy: Awaited<ReturnType<typeof copyTemplateDatabase>>;
  let other: Awaited<ReturnType<typeof copyTemplateDatabase>>;
  beforeAll(async () => {
    [copy, other] = [await copyTemplateDatabase(), await copyTemplateDatabase()];
  });
  afterAll(async () => {
    await made.at(-1)?.stop();
    await copy.drop();
    await other.drop();
  });

  it('restores into PostgreSQL, and from there into PGlite, with files, tokens and what was taken back', async () => {
    const postgres = install({ ...copy.environment });
    const restored = await postgres.operator('backup', 'restore', 'newest', '--key-file', keyFile);
    expect(restored.err).not.toMatch(/There|not/);
    expect(restored.out).toContain('the ledger is consistent');
    const server = await postgres.start();
    const onPostgres = serverAt(server, postgres);
    await expectCommunity(onPostgres, community);
    await expectTakenBack(server.url, postgres);
    await carryOn(onPostgres, community);
    expect((await postgres.operator('ledger', 'verify')).exitCode).toBe(0);
    expect((await postgres.operator('backup', 'create')).exitCode).toBe(0);
    await server.stop();

    const embedded = install();
    copyFileSync(join(postgres.dataDir, 'backup.key'), keyFile);
    const again = await embedded.operator('backup', 'restore', 'newest', '--key-file', keyFile, '--json');
    expect(again.json()).toMatchObject({ database: 'postgresql', ledger_faults: 0, missing_files: [] });
    const { url } = await embedded.start();
    await expectTakenBack(url, embedded);
    expect((await embedded.operator('ledger', 'verify')).exitCode).toBe(0);
  });

  it('has every table, shares files by their hash, is for its owner alone, and holds no key', () => {
    const names = readdirSync(shelf).filter((name) => name.startsWith('0000'));
    expect(names).toHaveLength(2);
    const files = readdirSync(join(shelf, 'files'), { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile())).toHaveLength(2);
    for (const name of names) {
      const manifest = JSON.parse(readFileSync(join(shelf, name, 'manifest.json'), 'utf8')) as Manifest;
      const left = ['event_places', 'event_processes', 'rate_windows'];
      const all = tables.map(({ meta }) => meta.tableName).filter((table) => !left.includes(table));
      expect(manifest.tables.map((table) => table.name)).toEqual(all.toSorted());
    }
    const secret = readFileSync(keyFile, 'utf8').trim();
    for (const entry of readdirSync(shelf, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      // Empty, and made with the mask of the test.
      if (entry.name === 'in-use.lock') continue;
      expect(modeOf(path), path).toBe(entry.isDirectory() ? '700' : '600');
      if (!entry.name.endsWith('.copy.gz')) continue;
      expect(gunzipSync(readFileSync(path)).toString(), path).not.toContain(secret);
    }
  });

  it('asks what becomes of tokens where the journal is lost', async () => {
    const alone = join(root, 'without-journal');
    cpSync(shelf, alone, { recursive: true });
    rmSync(join(alone, 'journal'), { recursive: true });
    const installation = install({ PLATFORM_BACKUP_DIR: alone, ...other.environment });
    const restore = (...options: string[]) =>
      installation.operator('backup', 'restore', 'newest', '--key-file', keyFile, ...options);
    const refused = await restore();
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toMatch(/may come back to life.*--keep-tokens.*--revoke-tokens/s);
    expect((await restore('--keep-tokens', '--revoke-tokens')).exitCode).toBe(2);
    expect((await restore('--revoke-tokens')).out).toMatch(/ended tokens +\d+/);
    const { url } = await installation.start();
    expect(await statusOf(url, community.customer.token)).toBe(401);
  });
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
