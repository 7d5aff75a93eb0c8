import { type RawBuilder, sql } from 'kysely';

/** Makes a check of one part of a table: up to `limit` rows after an id; with `since`, only rows changed since then. */
export type LedgerPartCheck = (
  since: Date | undefined,
) => (after: string, limit: number) => RawBuilder<LedgerPartResult>;

export interface LedgerPartResult {
  /** The last id of the part; null at the end of the table. */
  readonly last: string | null;
  readonly count: number | string;
  readonly entries: number | string;
  /** This is JSON text, because not all database drivers parse JSON; null if there are no faults. */
  readonly faults: string | null;
}

/** Ids begin with their time (§1.23), so this bound is below all ids from this time on and above most earlier ids. */
export function computeIdLowerBound(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

const agentsSince = (since: Date) => sql`
  select agent_id from ledger_entries where transaction_id > ${computeIdLowerBound(since)} and agent_id is not null`;

/** The end of each statement, which selects a `LedgerPartResult`. */
const resultOf = (entries: RawBuilder<unknown>) => sql`
  select (select id from part order by id desc limit 1) as last, count(*) as count, ${entries} as entries,
         (select json_agg(faults) from faults)::text as faults
  from checked`;

/** Checks that every transaction sums to zero. */
export const checkTransactionsPart: LedgerPartCheck = () => (after, limit) =>
  sql`
  with part as materialized (select id from ledger_transactions where id > ${after} order by id limit ${limit}),
  checked as (
    -- The bounds keep the planner from reading all entries instead of looking up those of many transactions one by
    -- one.
    select part.id, count(line.number) as lines, coalesce(sum(line.delta_minor), 0) as sum
    from part left join ledger_entries line on line.transaction_id = part.id and line.transaction_id > ${after}
      and line.transaction_id <= (select id from part order by id desc limit 1)
    group by part.id
  ),
  faults as (
    select 'transaction' as kind, id, format('its %s entries sum to %s instead of 0', lines, sum) as message
    from checked where sum <> 0 or lines = 0
  ) ${resultOf(sql`coalesce(sum(lines), 0)::bigint`)}`;

/** Checks that every balance is the sum of its entries, and every reserve the total of the open orders. */
export const checkWalletsPart: LedgerPartCheck = (since) => (after, limit) =>
  sql`
  with part as (
    select agent_id as id, available_minor as available, reserved_minor as reserved
    from wallets where agent_id > ${after} order by agent_id limit ${limit}
  ),
  chosen as materialized (select * from part ${since === undefined ? sql`` : sql`where id in (${agentsSince(since)})`}),
  checked as (
    select part.*, entries.available_entries, entries.reserved_entries, open.open_orders
    from chosen part
    cross join lateral (
      select coalesce(sum(delta_minor) filter (where account_kind = 'available'), 0) as available_entries,
             coalesce(sum(delta_minor) filter (where account_kind = 'reserved'), 0) as reserved_entries
      from ledger_entries where ledger_entries.agent_id = part.id
    ) entries
    cross join lateral (
      select coalesce(sum(total_minor), 0) as open_orders from orders
      where customer_id = part.id and state in ('funded', 'in_progress', 'delivered', 'disputed')
    ) open
  ),
  faults as (
    select 'wallet' as kind, id,
           format('it has %s available and %s reserved, but its entries sum to %s and %s',
                  available, reserved, available_entries, reserved_entries) as message
    from checked where available <> available_entries or reserved <> reserved_entries
    union all
    select 'reserve', id,
           format('%s are reserved, but the open orders of this customer require %s', reserved, open_orders)
    from checked where reserved <> open_orders
  ) ${resultOf(sql`0`)}`;

const postings = sql.lit('%s reserved, %s paid, %s of commission, %s refunded');

// Checks that an order's total is reserved once the order is funded, and that a closed order has paid the reserve to
// the contractor and the platform, or back to the customer.
export const checkOrdersPart: LedgerPartCheck = (since) => (after, limit) =>
  sql`
  with part as (
    select *, state not in ('offered', 'cancelled', 'rejected') as is_funded,
           state = 'closed' and outcome is not distinct from 'accepted' as is_paid,
           state = 'closed' and outcome is distinct from 'accepted' as is_refunded
    from orders where id > ${after} order by id limit ${limit}
  ),
  chosen as materialized (select * from part ${since === undefined ? sql`` : sql`where updated_at >= ${since}`}),
  checked as (
    select part.id, state, version, history.*,
           format(${postings}, posted.reserved, posted.paid, posted.charged, posted.refunded) as posted,
           format(${postings}, is_funded::int * total_minor, is_paid::int * amount_minor, is_paid::int * fee_minor,
                  is_refunded::int * total_minor) as due
    from chosen part
    cross join lateral (
      select
        coalesce(sum(delta_minor) filter (
          where movement = 'reserve' and account_kind = 'reserved' and agent_id = part.customer_id), 0) as reserved,
        coalesce(sum(delta_minor) filter (
          where movement = 'payout' and account_kind = 'available' and agent_id = part.contractor_id), 0) as paid,
        coalesce(sum(delta_minor) filter (where movement = 'payout' and account_kind = 'fees'), 0) as charged,
        coalesce(sum(delta_minor) filter (
          where movement = 'refund' and account_kind = 'available' and agent_id = part.customer_id), 0) as refunded
      from (
        select id, movement from ledger_transactions where movement = 'reserve' and order_id = part.id
        union all
        select id, movement from ledger_transactions
        where movement in ('payout', 'refund') and order_id = part.id
      ) head
      join ledger_entries line on line.transaction_id = head.id
    ) posted
    cross join lateral (
      select count(*) as versions, max(order_history.version) as last_version,
             (array_agg(order_history.state order by order_history.version desc))[1] as last_state
      from order_history where order_id = part.id
    ) history
  ),
  faults as (
    select 'order' as kind, id, format('its state %s requires %s; its postings are %s', state, due, posted) as message
    from checked where posted <> due
    union all
    select 'history', id,
           format('it is %s at version %s, but its history has %s entries up to %s at version %s',
                  state, version, versions, last_state, last_version)
    from checked where versions <> version or last_version is distinct from version or last_state is distinct from state
  ) ${resultOf(sql`0`)}`;
