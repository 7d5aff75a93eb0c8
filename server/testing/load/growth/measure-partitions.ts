import { createDatabase } from '@agent-platform/testing/template-database';
import { Client, type QueryConfig } from 'pg';

// Compares a table of messages with one that is partitioned by a hash of the dialog. Both have the same rows and
// indexes, in a separate database, and are measured in turn:
//
//   node server/testing/load/growth/measure-partitions.ts postgres://… [<rows> <partitions>]
//
// The keys of the partitioned table contain the dialog, because PostgreSQL requires the partition key in them.

const [serverUrl = '', rowCount = '10000000', partitionCount = '16'] = process.argv.slice(2);
const rows = Number(rowCount);
const [dialogs, portion, rounds, windowStatements, insertedAtOnce] = [rows / 20, 1_000_000, 7, 200, 10];
const tables = ['whole', 'parted'] as const;
type Table = (typeof tables)[number];

let inserted = rows;

const columns = `sender_id uuid not null, client_message_id uuid not null, id uuid not null, contact_id uuid not null,
  recipient_id uuid not null, nonce bytea not null, ciphertext bytea, sender_public_key text not null,
  recipient_public_key text not null, created_at timestamptz(3) not null, expires_at timestamptz(3) not null`;
const key = `'A1b2C3d4E5f6G7h8J9k0L1m2N3o4P5q6R7s8T9u0V1w='`;
const contactOf = (n: string) => `md5('c' || (${n}) % ${dialogs})::uuid`;
// Ids that the server assigns start with a timestamp; ids that clients choose are random.
const messagesFrom = (table: Table, from: string, to: string) => `insert into ${table}
  select md5('s' || n % ${dialogs})::uuid, md5('m' || n)::uuid,
    (lpad(to_hex(1767225600000 + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, ${contactOf('n * 7919')},
    md5('r' || n % ${dialogs})::uuid, substr(sha256(n::text::bytea), 1, 24), decode(repeat(md5(n::text), 4), 'hex'), ${key}, ${key},
    now(), now() + n * interval '1 ms' from generate_series(${from}::bigint, ${to}::bigint) n`;

const database = await createDatabase(serverUrl, 'template0');
const client = new Client({ connectionString: database.url });
await client.connect();
const run = async (text: string, values: readonly unknown[] = []) => (await client.query(text, [...values])).rows;
const runPrepared = (statement: QueryConfig, n: number) => client.query({ ...statement, values: [n] });
try {
  await run(`set maintenance_work_mem = '256MB'`);
  await run(`create table whole (${columns})`);
  await run(`create table parted (${columns}) partition by hash (contact_id)`);
  for (let part = 0; part < Number(partitionCount); part += 1)
    await run(
      `create table parted_${part} partition of parted for values with (modulus ${partitionCount}, remainder ${part})`,
    );
  for (const table of tables) await fill(table);
  await compare('insert of ten rows, ms', insertRows);
  await compare('first page of a dialog, ms', readDialog);
  await compare('message by its key, ms', readByKey);
  await run('checkpoint');
  for (const table of tables)
    print(
      `${table}: content of 1 % removed in ${await seconds(() => removeExpired(table))}, then vacuum in ${await seconds(() => run(`vacuum ${table}`))}`,
    );
} finally {
  await client.end();
  await database.drop();
}

async function fill(table: Table): Promise<void> {
  const filled = await seconds(async () => {
    for (let from = 1; from <= rows; from += portion)
      await run(messagesFrom(table, String(from), String(Math.min(rows, from + portion - 1))));
  });
  const dialog = table === 'whole' ? '' : 'contact_id, ';
  const indexed = await seconds(async () => {
    await run(`alter table ${table} add primary key (${dialog}sender_id, client_message_id)`);
    await run(`alter table ${table} add unique (contact_id, nonce)`);
    await run(`create index ${table}_of_contact on ${table} (contact_id, id) where ciphertext is not null`);
    await run(`create index ${table}_expiring on ${table} (expires_at) where ciphertext is not null`);
  });
  const vacuumed = await seconds(() => run(`vacuum analyze ${table}`));
  const [size] = await run(
    `select sum(pg_table_size(relid))::bigint / 1048576 as rows, sum(pg_indexes_size(relid))::bigint / 1048576 as indexes
     from (
       select $1::regclass as relid union all select inhrelid from pg_inherits where inhparent = $1::regclass
     ) parts`,
    [table],
  );
  print(
    `${table}: ${rows} rows in ${filled}, indexes in ${indexed}, first vacuum in ${vacuumed}, ${JSON.stringify(size)} MiB`,
  );
}

async function insertRows(table: Table): Promise<void> {
  const from = inserted + 1;
  inserted += insertedAtOnce;
  await run(messagesFrom(table, `${from}`, `${inserted}`));
}

function randomRow(): number {
  return Math.ceil(Math.random() * rows);
}

async function readDialog(table: Table): Promise<void> {
  await runPrepared(
    {
      name: `dialog-${table}`,
      text: `select * from ${table} where contact_id = ${contactOf('$1::bigint')} and ciphertext is not null order by id desc limit 100`,
    },
    randomRow(),
  );
}

async function readByKey(table: Table): Promise<void> {
  const n = '$1::bigint';
  const dialog = table === 'whole' ? '' : ` and contact_id = ${contactOf(`${n} * 7919`)}`;
  await runPrepared(
    {
      name: `key-${table}`,
      text: `select id from ${table} where sender_id = md5('s' || ${n} % ${dialogs})::uuid and client_message_id = md5('m' || ${n})::uuid${dialog}`,
    },
    randomRow(),
  );
}

async function removeExpired(table: Table): Promise<void> {
  await run(
    `update ${table} set ciphertext = null where expires_at <= (
    select expires_at from ${table} where ciphertext is not null order by expires_at offset $1 limit 1)`,
    [rows / 100],
  );
}

async function compare(what: string, work: (table: Table) => Promise<void>): Promise<void> {
  const taken: Record<Table, number[]> = { whole: [], parted: [] };
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const ms = { whole: 0, parted: 0 };
    for (const table of tables) {
      const startedMs = performance.now();
      for (let statement = 0; statement < windowStatements; statement += 1) await work(table);
      ms[table] = (performance.now() - startedMs) / windowStatements;
    }
    // The first round is a warm-up.
    if (round === 0) continue;
    for (const table of tables) taken[table].push(ms[table]);
    ratios.push(ms.parted / ms.whole);
  }
  const sorted = ratios.toSorted((one, other) => one - other);
  print(
    `${what}: ${median(taken.whole)} whole, ${median(taken.parted)} partitioned, ratio ${median(sorted)} (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`,
  );
}

function median(values: readonly number[]): string {
  return (values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN).toFixed(2);
}

async function seconds(work: () => Promise<unknown>): Promise<string> {
  const startedMs = performance.now();
  await work();
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
