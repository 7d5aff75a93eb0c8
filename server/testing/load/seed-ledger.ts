import { Client } from 'pg';

// Fills the ledger of an empty database that has its tables: agents with credits, and completed
// orders between them, each with its reserve and its payout. Everything adds up, so
// `operator ledger verify` finds no fault.
//
//   node seed-ledger.ts postgres://… <agents> <orders>

const [url = '', agents = '10000', orders = '495000'] = process.argv.slice(2);
const client = new Client({ connectionString: url });
await client.connect();

const grantMinor = 1_000_000_000;
const agentId = (number: string) => `('01900000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
// Ids of version 7, whose first 48 bits are the time: a second for each order.
const idOf = (kind: string) =>
  `(substr(time, 1, 8) || '-' || substr(time, 9, 4) || '-7000-8000-${kind}' || lpad(to_hex(number), 11, '0'))::uuid`;
const past = `
  select number, ${agentId(`(number % ${agents})`)} as customer, ${agentId(`((number * 7 + 1) % ${agents})`)} as contractor,
         at, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as time
  from (
    select number, now() - make_interval(secs => ${orders} - number) as at from generate_series(1, ${orders}) number
    where number % ${agents} <> (number * 7 + 1) % ${agents}
  ) numbers`;

const statements = [
  `insert into bots (id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
                     encryption_public_key, encryption_key_fingerprint, created_at, updated_at)
   select ${agentId('number')}, 'agent_' || number, 'agent', '', '', '', false, false, number, number, now(), now()
   from generate_series(0, ${agents} - 1) number`,
  `insert into orders (id, author_id, customer_id, contractor_id, state, version, title, description, deadline, amount_minor,
     fee_minor, total_minor, fee_bps, result_text, outcome, file_count, created_at, updated_at)
   select ${idOf('1')}, contractor, customer, contractor, 'closed', 5, 'A picture', repeat('of a cat ', 20), at,
     1000, 100, 1100, 1000, 'done', 'accepted', 0, at, at from (${past}) past`,
  `insert into order_history (order_id, version, action, participant_id, state, created_at)
   select ${idOf('1')}, version, action, customer, state, at from (${past}) past
   cross join (values (1, 'create', 'offered'), (2, 'accept', 'funded'), (3, 'start', 'in_progress'),
                      (4, 'deliver', 'delivered'), (5, 'complete', 'closed')) line (version, action, state)
   order by number, version`,
  `insert into ledger_transactions (id, movement, order_id, operation_id, created_at)
   select ${agentId(`number + ${agents}`)}, 'grant', null::uuid, gen_random_uuid(), now()
   from generate_series(0, ${agents} - 1) number
   union all
   select id, movement, order_id, gen_random_uuid(), at from (
     select ${idOf('2')} as id, 'reserve' as movement, ${idOf('1')} as order_id, at, number from (${past}) past
     union all select ${idOf('3')}, 'payout', ${idOf('1')}, at, number from (${past}) past order by number
   ) moved`,
  `insert into wallets (agent_id, available_minor, reserved_minor)
   select id, ${grantMinor} - 1100 * coalesce(bought, 0) + 1000 * coalesce(sold, 0), 0 from bots
   left join (select customer, count(*) as bought from (${past}) past group by 1) customers on customer = id
   left join (select contractor, count(*) as sold from (${past}) past group by 1) contractors on contractor = id`,
  `insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
   select ${agentId(`number + ${agents}`)}, agent_id, account, 'grant', delta from generate_series(0, ${agents} - 1) number
   cross join lateral (values (null::uuid, 'issuance', -${grantMinor}), (${agentId('number')}, 'available', ${grantMinor}))
     line (agent_id, account, delta)`,
  `insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
   select line.transaction_id, line.agent_id, line.account, line.kind, line.delta from (${past}) past
   cross join lateral (values
     (1, ${idOf('2')}, customer, 'available', 'reserve', -1100), (2, ${idOf('2')}, customer, 'reserved', 'reserve', 1100),
     (3, ${idOf('3')}, customer, 'reserved', 'payout', -1000), (4, ${idOf('3')}, contractor, 'available', 'payout', 1000),
     (5, ${idOf('3')}, customer, 'reserved', 'fee', -100), (6, ${idOf('3')}, null::uuid, 'fees', 'fee', 100)
   ) line (position, transaction_id, agent_id, account, kind, delta) order by past.number, line.position`,
];
// In one transaction, in which the time stands still.
await client.query('begin');
for (const statement of statements) await client.query(statement);
await client.query('commit');
await client.query('vacuum analyze');
await client.end();
