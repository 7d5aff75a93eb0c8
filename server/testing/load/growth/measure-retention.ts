import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { runOperatorProcess } from '../../processes/operator-process.ts';
import { forgetStorage } from './seeded-server.ts';

// Lets messages and events of a database that fill.ts made expire, and times a run of retention:
//
//   node server/testing/load/growth/measure-retention.ts postgres://… [<rows of each>]
//
// Compare its rate with the one at which they arrive.

const [url = '', count = '100000'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'measure-retention-'));
const client = new Client({ connectionString: url });
await client.connect();
await client.query(
  `update messages set expires_at = now() - interval '1 hour'
   where (sender_id, client_message_id) in (
     select sender_id, client_message_id from messages where ciphertext is not null order by expires_at limit $1
   )`,
  [count],
);
await client.query(
  `insert into events (agent_id, event_id, kind, peer_id, payload, created_at, expires_at)
   select sender_id, gen_random_uuid(), 'message.created', recipient_id, '{}', now(), now() - interval '1 hour'
   from messages limit $1`,
  [count],
);
await forgetStorage(client);
await client.end();
const env = { DATABASE_URL: url, PLATFORM_DATA_DIR: folder };
const { out, err, code, ms } = await runOperatorProcess(env, ['retention', 'run']);
if (code !== 0) throw new Error(err);
process.stdout.write(`${out.trim()}\nin ${(ms / 1_000).toFixed(1)} s with the start of its process\n`);
rmSync(folder, { recursive: true, force: true });
