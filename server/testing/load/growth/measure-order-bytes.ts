import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type KeepAliveClient, makeKeepAliveClient } from '../../rolling-restart/keep-alive-client.ts';
import { seededToken, startSeededServer } from './seeded-server.ts';

// Runs orders from offer to payout through a server, and prints the bytes per order, with all its rows and indexes:
//
//   node server/testing/load/growth/measure-order-bytes.ts postgres://… [<orders> [vacuum]]
//
// fill.ts must have made the database, with at least 1,000 agents. Orders take each step in groups of a thousand, so
// that rows change long after they were written. With `vacuum` the table is vacuumed after each group, as autovacuum
// does at 20,000 orders. VACUUM FULL at the end shows how many bytes are dead rows and gaps.

/** Two friends from the seed; either of them may be the customer. */
interface Parties {
  readonly customer: string;
  readonly contractor: string;
}

const [url = '', orderCount = '10000', vacuum] = process.argv.slice(2);
const [wave, lanes] = [1_000, 16];
const tables = ['orders', 'order_history', 'operations', 'ledger_transactions', 'ledger_entries', 'wallets'];

const steps = [
  ['customer', 'accept', { expected_version: 1, confirmed_total_minor: 11 }],
  ['contractor', 'start', { expected_version: 2 }],
  ['contractor', 'deliver', { expected_version: 3, result_text: 'done' }],
  ['customer', 'complete', { expected_version: 4 }],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'measure-order-bytes-'));
const database = new Client({ connectionString: url });
await database.connect();
await database.query(`vacuum full ${tables.join(', ')}`);
const parties = await findParties();
const server = await startSeededServer(url, folder, 'data');
const clients = Array.from({ length: lanes }, () => makeKeepAliveClient({ url: server.url, ca: '' }));
const before = await readSizes();
const startedMs = performance.now();
for (let made = 0; made < Number(orderCount); made += wave) {
  await makeOrders(made, wave);
  if (vacuum !== undefined) await database.query('vacuum orders');
}
const seconds = (performance.now() - startedMs) / 1_000;
for (const client of clients) client.close();
await server.end('SIGTERM');
print(`${orderCount} orders in ${seconds.toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)}`);
const { rows: vacuums } = await database.query<{ count: string }>(
  `select autovacuum_count as count from pg_stat_user_tables where relname = 'orders'`,
);
print(`autovacuum of orders: ${vacuums[0]?.count} times`);
report('as written', await readSizes());
await database.query(`vacuum full ${tables.join(', ')}`);
report('after VACUUM FULL', await readSizes());
await database.end();
rmSync(folder, { recursive: true, force: true });

async function findParties(): Promise<readonly Parties[]> {
  const { rows } = await database.query<Parties>(
    `select first_id as customer, second_id as contractor from contacts where state = 'friends'
     union all select second_id, first_id from contacts where state = 'friends'`,
  );
  return rows;
}

async function makeOrders(from: number, count: number): Promise<void> {
  const open = await inLanes(
    Array.from({ length: count }, (_, index) => parties[(from + index) % parties.length]),
    async (client, pair) => {
      if (pair === undefined) throw new Error('The database has no friends: fill it with fill.ts.');
      const deadline = new Date(Date.now() + 86_400_000).toISOString();
      const terms = { title: 'A picture', description: 'of a cat '.repeat(20), deadline, amount_minor: 10 };
      const body = { ...terms, operation_id: randomUUID(), customer_id: pair.customer };
      return { ...pair, id: await send(client, pair.contractor, 201, '', body) };
    },
  );
  for (const [side, action, fields] of steps)
    await inLanes(open, (client, order) =>
      send(client, order[side], 200, `/${order.id}/${action}`, { operation_id: randomUUID(), ...fields }),
    );
}

async function send(client: KeepAliveClient, agentId: string, status: number, path: string, body: object) {
  const sent = { token: seededToken(agentId), parts: [JSON.stringify(body)] };
  const { order } = await client.expect(status, 'POST', `/api/v1/orders${path}`, sent);
  return String(order?.['id']);
}

/** Distributes the items over all connections. */
async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (client: KeepAliveClient, item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const left = items.values();
  const results: Result[] = [];
  await Promise.all(
    clients.map(async (client) => {
      for (const item of left) results.push(await work(client, item));
    }),
  );
  return results;
}

async function readSizes() {
  const { rows } = await database.query<{ name: string; rows: string; indexes: string }>(
    `select name, pg_table_size(name::regclass) as rows, pg_indexes_size(name::regclass) as indexes
     from unnest($1::text[]) name`,
    [tables],
  );
  return rows.map(({ name, rows: bytes, indexes }) => ({ name, rows: Number(bytes), indexes: Number(indexes) }));
}

function report(when: string, sizes: Awaited<ReturnType<typeof readSizes>>): void {
  const grown = sizes.map(({ name, rows, indexes }, index) => ({
    name,
    rows: Math.round((rows - (before[index]?.rows ?? 0)) / Number(orderCount)),
    indexes: Math.round((indexes - (before[index]?.indexes ?? 0)) / Number(orderCount)),
  }));
  const sum = grown.reduce((total, { rows, indexes }) => total + rows + indexes, 0);
  print(`${when}: ${sum} bytes per order`);
  for (const { name, rows, indexes } of grown) print(`  ${name}: ${rows} + ${indexes}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
