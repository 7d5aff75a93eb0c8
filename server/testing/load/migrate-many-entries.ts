import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '@agent-platform/testing';
import { createDatabase } from '@agent-platform/testing/template-database';
import { Client } from 'pg';
import { preparePostgres } from '../../src/store/orm.ts';

// Makes a database with the schema of version 0.1.0 and a ledger of 5 million entries,
// starts two servers on it at the same moment, and prints when each was ready and what
// it logged of the migrations.
//
//   node migrate-many-entries.ts postgres://… [<entries>]

const [serverUrl = '', count = '5000000'] = process.argv.slice(2);
const entries = Number(count);
const lastOfOldSchema = '0009-file-retention';
const agents = 1_000;

const database = await createDatabase(serverUrl, 'template0');
const folder = mkdtempSync(join(tmpdir(), 'migrate-many-'));
try {
  const { orm } = await preparePostgres(database.url, () => undefined);
  await orm.migrator.up({ to: lastOfOldSchema });
  await orm.close();
  await fillLedger();
  print({ entries, secondsToFill: seconds(0) });
  const startedMs = performance.now();
  const starts = await Promise.allSettled(['one', 'other'].map((name) => start(name, startedMs)));
  for (const result of starts) print(result.status === 'fulfilled' ? result.value : { failed: String(result.reason) });
} finally {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
}

/** Grants: one transaction with two entries each. Without the triggers of foreign keys, which would take minutes. */
async function fillLedger(): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into bots (id, handle, display_name, specialty, bio, character_description, encryption_public_key,
       encryption_key_fingerprint, profile_public, is_demo, created_at, updated_at)
     select md5(n::text)::uuid, 'agent_' || n, 'Agent ' || n, '', '', '', 'k' || n, 'f', false, false, now(), now()
     from generate_series(1, $1::int) n`,
    [agents],
  );
  await client.query('insert into wallets select id, $1::bigint, 0 from bots', [entries]);
  await client.query(
    `insert into ledger_transactions (id, movement, operation_id, created_at)
     select md5(n::text)::uuid, 'grant', md5(n::text)::uuid, now() from generate_series(1, $1::int) n`,
    [entries / 2],
  );
  await client.query(
    `insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
     select md5(n::text)::uuid, case side when 1 then md5((n % $2::int + 1)::text)::uuid end,
       case side when 1 then 'available' else 'issuance' end, 'grant', side
     from generate_series(1, $1::int) n, unnest(array[1, -1]) side`,
    [entries / 2, agents],
  );
  await client.query('analyze');
  await client.end();
}

async function start(name: string, startedMs: number) {
  const server = await startServerProcess({
    DATABASE_URL: database.url,
    PLATFORM_DATA_DIR: join(folder, name),
    PLATFORM_STORAGE_URL: `file://${join(folder, 'files')}`,
  });
  const readyAfter = seconds(startedMs);
  const stopped = await server.end('SIGTERM');
  const lines = server.output().split('\n');
  return { name, readyAfter, stopped, log: lines.filter((line) => /migrat/.test(line)) };
}

function seconds(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 100) / 10;
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
