import { Client } from 'pg';
import { fillWithoutIndexes } from '../without-indexes.ts';

// Adds orders between the friends in a database, each with its history, stored answers and transactions, so that
// `operator ledger verify` finds no fault. Run it after seed-messages-and-grants.ts:
//
//   node seed-orders.ts postgres://… <orders>

const [url = '', orders = '10000'] = process.argv.slice(2);
const portion = 250_000;
const client = new Client({ connectionString: url });
await client.connect();
const run = async (text: string, values: readonly unknown[] = []) => (await client.query(text, [...values])).rows;
// Disables foreign key checks, which PostgreSQL implements as triggers.
await run(`set session_replication_role = replica`);
await run(`set maintenance_work_mem = '1GB'`);

// Version 7 UUIDs start with a 48-bit time, which is here later than that of the grants. An order uses three ids.
const timeId = (n: string) =>
  `(lpad(to_hex(1767300000000 + ${n}), 12, '0') || '7000' || '8' || substr(md5((${n})::text), 1, 15))::uuid`;
// At this price, an agent's grant of 1,000 pays for 90 orders.
const [amount, fee] = [10, 1];
const total = amount + fee;

/** Among twenty orders, the number in each state, with the commands that lead to the state. */
const lives = [
  ['offered', 1, ['create']],
  ['rejected', 2, ['create', 'reject']],
  ['cancelled', 1, ['create', 'cancel']],
  ['funded', 1, ['create', 'accept']],
  ['in_progress', 1, ['create', 'accept', 'start']],
  ['delivered', 1, ['create', 'accept', 'start', 'deliver']],
  ['closed', 13, ['create', 'accept', 'start', 'deliver', 'complete']],
] as const;
const stateAfter = {
  create: 'offered',
  reject: 'rejected',
  cancel: 'cancelled',
  accept: 'funded',
  start: 'in_progress',
  deliver: 'delivered',
  complete: 'closed',
};
const ofCustomer: readonly string[] = ['accept', 'reject', 'complete'];

await run(
  `create temporary table lives as select unnest($1::text[]) as state, unnest($2::int[]) as version,
  generate_series(0, 19) as place`,
  [
    lives.flatMap(([state, count]) => Array.from({ length: count }, () => state)),
    lives.flatMap(([, count, actions]) => Array.from({ length: count }, () => actions.length)),
  ],
);
await run(
  `create temporary table steps as select * from
  unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::boolean[]) as step (life, version, action, state, by_customer)`,
  [...steps()],
);
await run(`create temporary table pairs as
  select (row_number() over (order by id) - 1)::int as pair, first_id, second_id from contacts where state = 'friends'`);
await run('create unique index on pairs (pair)');
await run(`create temporary table placed (number bigint, id uuid, customer_id uuid, contractor_id uuid, state text,
  version int, at timestamptz)`);
await run('analyze');

const tables = ['orders', 'order_history', 'operations', 'ledger_transactions', 'ledger_entries'];
await fillWithoutIndexes(client, tables, insertOrders);
await run('vacuum analyze');
await client.end();

/** Returns the commands that lead to each state as column arrays for SQL. */
function steps(): readonly (readonly unknown[])[] {
  const rows = lives.flatMap(([life, , actions]) =>
    actions.map((action, index) => [life, index + 1, action, stateAfter[action], ofCustomer.includes(action)] as const),
  );
  return [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column]));
}

async function insertOrders(): Promise<void> {
  const [{ pairs }] = (await run('select count(*)::int as pairs from pairs')) as [{ readonly pairs: number }];
  for (let from = 1; from <= Number(orders); from += portion) {
    const to = Math.min(Number(orders), from + portion - 1);
    await run('truncate placed');
    await run(
      `insert into placed
       select n, ${timeId('n * 3')}, case (n / $3) % 2 when 0 then first_id else second_id end,
         case (n / $3) % 2 when 0 then second_id else first_id end, state, version,
         to_timestamp((1767300000000 + n * 3) / 1000.0)
       from generate_series($1::bigint, $2::bigint) n
       join pairs on pairs.pair = (n * 7919) % $3
       join lives on lives.place = (n + n / $3 * 3) % 20`,
      [from, to, pairs],
    );
    await run('analyze placed');
    await insertPlaced();
    process.stdout.write(`${to} orders\n`);
  }
}

async function insertPlaced(): Promise<void> {
  await run(`insert into orders (id, author_id, customer_id, contractor_id, state, version, title, description, deadline,
      amount_minor, fee_minor, total_minor, fee_bps, result_text, outcome, file_count, created_at, updated_at)
    select id, contractor_id, customer_id, contractor_id, state, version, 'A picture', repeat('of a cat ', 20),
      now() + interval '30 days', ${amount}, ${fee}, ${total}, 1000, case when version >= 4 then 'done' end,
      case state when 'closed' then 'accepted' end, 0, at, at
    from placed`);
  const step = 'placed join steps step on step.life = placed.state';
  const participant = 'case when by_customer then customer_id else contractor_id end';
  await run(`insert into order_history (order_id, version, action, participant_id, state, created_at)
    select id, step.version, action, ${participant}, step.state, at from ${step} order by number, step.version`);
  await run(`insert into operations (agent_id, operation_id, fingerprint, answer, created_at, order_id)
    select ${participant}, gen_random_uuid(), encode(sha256((number + step.version)::text::bytea), 'hex'),
      '["One","Other"]', at, id from ${step} order by number, step.version`);
  const paid = `state = 'closed'`;
  const funded = `state in ('funded', 'in_progress', 'delivered', 'closed')`;
  await run(`insert into ledger_transactions (id, movement, order_id, operation_id, created_at)
    select ${timeId('number * 3 + 1')}, 'reserve', id, gen_random_uuid(), at from placed where ${funded}
    union all
    select ${timeId('number * 3 + 2')}, 'payout', id, gen_random_uuid(), at from placed where ${paid}`);
  await run(`insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
    select ${timeId('number * 3 + line.head')}, line.agent_id, account, kind, delta from placed
    cross join lateral (values
      (1, 1, customer_id, 'available', 'reserve', -${total}), (1, 2, customer_id, 'reserved', 'reserve', ${total}),
      (2, 3, customer_id, 'reserved', 'payout', -${amount}), (2, 4, contractor_id, 'available', 'payout', ${amount}),
      (2, 5, customer_id, 'reserved', 'fee', -${fee}), (2, 6, null::uuid, 'fees', 'fee', ${fee})
    ) line (head, position, agent_id, account, kind, delta)
    where ${funded} and (line.head = 1 or ${paid}) order by number, line.position`);
  await run(`update wallets set available_minor = available_minor + moved.available,
      reserved_minor = reserved_minor + moved.reserved
    from (
      select agent_id, sum(available) as available, sum(reserved) as reserved from (
        select customer_id as agent_id, -${total} as available, case when ${paid} then 0 else ${total} end as reserved
        from placed where ${funded}
        union all
        select contractor_id, ${amount}, 0 from placed where ${paid}
      ) each group by 1
    ) moved where wallets.agent_id = moved.agent_id`);
}
