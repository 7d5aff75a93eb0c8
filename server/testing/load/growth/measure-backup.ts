import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { runOperatorProcess } from '../../processes/operator-process.ts';
import { deleteStorageId, settingsForSeededDatabase } from './seeded-server.ts';

// Measures the time to back up a database that fill.ts made, to restore it into an empty one, and to verify its ledger;
// then compares the rows of all tables:
//
//   node server/testing/load/growth/measure-backup.ts postgres://…/many postgres://…/empty

const [fromUrl = '', toUrl = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'measure-backup-'));
const backups = join(folder, 'backups');
const [from, to] = [join(folder, 'from'), join(folder, 'to')];
const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

const client = new Client({ connectionString: fromUrl });
await client.connect();
await deleteStorageId(client);
await client.end();

await operate(fromUrl, from, 'backup', 'create');
print(`the backup has ${gib(sizeOf(backups))}`);
await operate(toUrl, to, 'backup', 'restore', 'newest', '--key-file', join(from, 'backup.key'));
print((await operate(toUrl, to, 'ledger', 'verify')).trim());
const [before, after] = [await countRows(fromUrl), await countRows(toUrl)];
const different = Object.keys({ ...before, ...after }).filter((table) => before[table] !== after[table]);
print(`${Object.values(after).reduce((sum, rows) => sum + rows, 0)} rows; tables with a different number of rows:`);
for (const table of different) print(`  ${table}: ${before[table]} and ${after[table]}`);
rmSync(folder, { recursive: true, force: true });

async function operate(url: string, dataFolder: string, ...words: readonly string[]): Promise<string> {
  const env = { ...settingsForSeededDatabase(url, dataFolder), PLATFORM_BACKUP_DIR: backups };
  const memory = watchMemory(words.slice(0, 2));
  const { out, err, code, ms } = await runOperatorProcess(env, words);
  const peak = memory.stop();
  if (code !== 0) throw new Error(err);
  const load = loadavg()[0]?.toFixed(1);
  print(`${words.slice(0, 2).join(' ')}: ${(ms / 1_000).toFixed(1)} s, resident ${peak} MiB, load ${load}`);
  return out;
}

/** Monitors the child process with these arguments; `stop` returns its peak memory in MiB. */
function watchMemory(words: readonly string[]) {
  let peakKib = 0;
  const read = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const isChild = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid);
        if (!isChild || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words.join('\0'))) continue;
        const [, kib = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        peakKib = Math.max(peakKib, Number(kib));
      } catch {
        // The process has ended, so its memory can no longer be read.
      }
    }
  };
  const timer = setInterval(read, 1_000);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round(peakKib / 1_024);
    },
  };
}

function sizeOf(path: string): number {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(path, name)))
    .filter((stats) => stats.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

async function countRows(url: string): Promise<Readonly<Record<string, number>>> {
  const one = new Client({ connectionString: url });
  await one.connect();
  const { rows: tables } = await one.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await one.query<{ count: string }>(`select count(*) as count from ${name}`);
    counts[name] = Number(rows[0]?.count);
  }
  await one.end();
  return counts;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
