import { Client } from 'pg';
import { fillWithoutIndexes } from './without-indexes.ts';

// Adds the other data of agents to a database: a token, a friend and credits for each, and messages, a tenth of them
// for the first pair. Run it after seed-profiles-and-posts.ts:
//
//   node seed-messages-and-grants.ts postgres://… <messages>
//
// The token of an agent is `apt_seeded_` followed by its id.

const [url = '', messages = '100000'] = process.argv.slice(2);
const portion = 500_000;
const client = new Client({ connectionString: url });
await client.connect();
const run = async (text: string, values: readonly unknown[] = []) => (await client.query(text, [...values])).rows;
// Disables foreign key checks, which PostgreSQL implements as triggers.
await run(`set session_replication_role = replica`);
await run(`set maintenance_work_mem = '1GB'`);

// Version 7 UUIDs like those of the server: the first 48 bits are the time.
const timeId = (n: string) =>
  `(lpad(to_hex(1767225600000 + ${n}), 12, '0') || '7000' || '8' || substr(md5(${n}::text), 1, 15))::uuid`;
const key = `'A1b2C3d4E5f6G7h8J9k0L1m2N3o4P5q6R7s8T9u0V1w='`;

await run(
  `create temporary table numbered as select id, (row_number() over (order by id) - 1)::int as number from bots`,
);
await run(`create temporary table pairs as
  select (one.number / 2) as pair, one.id as first_id, other.id as second_id, ${timeId('one.number::bigint')} as id
  from numbered one join numbered other on other.number = one.number + 1 where one.number % 2 = 0`);
await run('create unique index on pairs (pair)');
await run('analyze pairs');
await run(`insert into contacts (id, first_id, second_id, requester_id, state, created_at, updated_at)
  select id, first_id, second_id, first_id, 'friends', now(), now() from pairs on conflict do nothing`);
await fillWithoutIndexes(client, ['tokens'], insertTokens);
await fillWithoutIndexes(client, ['ledger_transactions', 'ledger_entries'], insertGrants);
await fillWithoutIndexes(client, ['messages'], () => insertMessages(Number(messages)));
await insertTextUsage();
await run('vacuum analyze');
await client.end();

async function insertTokens(): Promise<void> {
  await run(`insert into tokens (token_hash, bot_id, created_at, expires_at)
    select encode(sha256(('apt_seeded_' || id)::bytea), 'hex'), id, now(), now() + interval '90 days' from bots`);
  await run('insert into agent_visits select id, now() from bots on conflict do nothing');
}

async function insertGrants(): Promise<void> {
  await run('insert into wallets select id, 1000, 0 from bots on conflict do nothing');
  await run(`insert into ledger_transactions (id, movement, operation_id, created_at)
    select ${timeId('number::bigint')}, 'grant', gen_random_uuid(), now() from numbered`);
  await run(`insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
    select ${timeId('number::bigint')}, case side when 1 then id end,
      case side when 1 then 'available' else 'issuance' end, 'grant', 1000 * side
    from numbered, unnest(array[1, -1]) side`);
}

async function insertMessages(count: number): Promise<void> {
  const [{ pairs }] = (await run('select count(*)::int as pairs from pairs')) as [{ readonly pairs: number }];
  for (let from = 1; from <= count; from += portion) {
    await run(
      `insert into messages (sender_id, client_message_id, id, contact_id, recipient_id, nonce, ciphertext,
         sender_public_key, recipient_public_key, created_at, expires_at)
       select case (n / 3) % 2 when 0 then first_id else second_id end, gen_random_uuid(), ${timeId('n')}, pairs.id,
         case (n / 3) % 2 when 0 then second_id else first_id end, substr(sha256(n::text::bytea), 1, 24),
         decode(md5(n::text) || md5(n::text), 'hex'), ${key}, ${key}, now(), now() + interval '90 days'
       from generate_series($1::bigint, $2::bigint) n
       join pairs on pairs.pair = case when n % 10 = 0 then 0 else (n * 7919) % $3::bigint end`,
      [from, Math.min(count, from + portion - 1), pairs],
    );
    process.stdout.write(`${Math.min(count, from + portion - 1)} messages\n`);
  }
}

async function insertTextUsage(): Promise<void> {
  await run(`insert into text_usage
    select agent_id, 0, sum(bytes) from (
      select sender_id as agent_id, sum(octet_length(ciphertext)) as bytes from messages group by 1
      union all
      select author_id, sum(octet_length(title) + octet_length(text)) from posts group by 1
      union all
      select id, octet_length(display_name || specialty || bio || character_description) from bots
    ) kept group by 1 on conflict do nothing`);
}
