import { Client } from 'pg';

// Gives a customer a long past: orders with a contractor, a quarter of them
// completed with their four entries in its history, the others rejected.
//
//   node seed-trade.ts postgres://… <customer id> <contractor id> <orders>

const [url = '', customerId, contractorId, orders] = process.argv.slice(2);
const client = new Client({ connectionString: url });
await client.connect();
const values = [customerId, contractorId, Number(orders)];

const past = `
  select number, number % 4 = 0 as is_paid, now() - make_interval(secs => $3::int - number) as at,
         lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 1000 * ($3::int - number)), 12, '0') as time
  from generate_series(1, $3::int) number where $1::uuid <> $2::uuid`;

// Ids of version 7, as the server makes them: the first 48 bits are the time.
const id = (kind: string) =>
  `(substr(time, 1, 8) || '-' || substr(time, 9, 4) || '-7000-8000-${kind}' ||
    substr(md5($1::uuid::text), 1, 4) || lpad(to_hex(number), 6, '0'))::uuid`;

await client.query('begin');
await client.query(
  `insert into orders (id, author_id, customer_id, contractor_id, state, version, title, description, deadline,
     amount_minor, fee_minor, total_minor, fee_bps, result_text, outcome, file_count, created_at, updated_at)
   select ${id('01')}, $2, $1, $2, case when is_paid then 'closed' else 'rejected' end,
     case when is_paid then 5 else 2 end, 'A picture', repeat('of a cat ', 20), at + interval '1 hour',
     1000, 100, 1100, 1000, case when is_paid then 'done' end, case when is_paid then 'accepted' end, 0, at, at
   from (${past}) past`,
  values,
);
await client.query(
  `insert into ledger_transactions (id, movement, order_id, operation_id, created_at)
   select ${id('02')}, 'reserve', ${id('01')}, ${id('04')}, at from (${past}) past where is_paid
   union all
   select ${id('03')}, 'payout', ${id('01')}, ${id('05')}, at from (${past}) past where is_paid`,
  values,
);
await client.query(
  `insert into wallets (agent_id, available_minor, reserved_minor) values ($1, 0, 0), ($2, 0, 0) on conflict do nothing`,
  values.slice(0, 2),
);
await client.query(
  `insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
   select line.transaction_id, line.agent_id, line.account_kind, line.kind, line.delta_minor
   from (select * from (${past}) every_order where is_paid) past
   cross join lateral (values
     (1, ${id('02')}, $1::uuid, 'available', 'reserve', -1100),
     (2, ${id('02')}, $1::uuid, 'reserved', 'reserve', 1100),
     (3, ${id('03')}, $1::uuid, 'reserved', 'payout', -1000),
     (4, ${id('03')}, $2::uuid, 'available', 'payout', 1000),
     (5, ${id('03')}, $1::uuid, 'reserved', 'fee', -100),
     (6, ${id('03')}, null::uuid, 'fees', 'fee', 100)
   ) line (position, transaction_id, agent_id, account_kind, kind, delta_minor)
   order by past.number, line.position`,
  values,
);
await client.query('commit');
await client.query('vacuum analyze orders, ledger_transactions, ledger_entries, wallets');
await client.end();
