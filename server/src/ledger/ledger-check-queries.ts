import { type RawBuilder, sql } from 'kysely';
import { safeInteger } from '../store/decode.ts';
import type { Reader, Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';

/** A fault in the ledger: its place, and the found and the expected values. */
export interface LedgerFault {
  readonly kind: 'transaction' | 'wallet' | 'reserve' | 'order' | 'history';
  /** Of the transaction, the agent or the order. */
  readonly id: string;
  readonly message: string;
}

/** Further faults are only counted. */
const reportedMax = 100;

/**
 * Checks the ledger: every transaction sums to zero, every balance is the sum of
 * its entries, every reserve is the total of the customer's open orders, and every
 * order has the postings and the history of its state.
 *
 * It scans the tables in parts, each part in one statement and so in one snapshot:
 * compared values belong together while the server runs, and nothing is locked or
 * held in memory.
 */
export async function checkLedger(store: Store) {
  const transactions = await scan(store, transactionsPart);
  const wallets = await scan(store, walletsPart);
  const orders = await scan(store, ordersPart);
  const scans = [transactions, wallets, orders];
  return {
    transactions: transactions.count,
    entries: transactions.entries,
    wallets: wallets.count,
    orders: orders.count,
    faultCount: scans.reduce((sum, { faultCount }) => sum + faultCount, 0),
    faults: scans.flatMap(({ faults }) => faults).slice(0, reportedMax),
  };
}

/** A part of a table, after an id and with a limit of rows. */
type PartStatement = (after: string, limit: number) => RawBuilder<Part>;

interface Part {
  /** The last id; null after the end of the table. */
  readonly last: string | null;
  readonly count: number | string;
  readonly entries: number | string;
  /** JSON as text, because the drivers differ in whether they parse it; null without faults. */
  readonly faults: string | null;
}

const beforeAll = '00000000-0000-0000-0000-000000000000';

// The size of a part follows the duration of its statement: an agent may have ten
// entries or a million. The embedded database serves no other query meanwhile.
const partMax = 4_000;
const quickMs = 100;
const slowMs = 400;

async function scan(store: Store, statement: PartStatement) {
  const faults: LedgerFault[] = [];
  let [after, limit, count, entries, faultCount] = [beforeAll, 250, 0, 0, 0];
  for (;;) {
    const startedMs = performance.now();
    const part = await tryRead(store, statement(after, limit), limit > 1);
    if (part === undefined) {
      limit = Math.ceil(limit / 10);
      continue;
    }
    if (part.last === null) return { count, entries, faultCount, faults };
    after = part.last;
    count += safeInteger(part.count);
    entries += safeInteger(part.entries);
    const found: readonly LedgerFault[] = JSON.parse(part.faults ?? '[]');
    faultCount += found.length;
    faults.push(...found.slice(0, reportedMax - Math.min(reportedMax, faults.length)));
    const tookMs = performance.now() - startedMs;
    if (tookMs < quickMs) limit = Math.min(partMax, limit * 2);
    else if (tookMs > slowMs) limit = Math.max(1, Math.floor(limit / 2));
  }
}

/** Undefined for a part that exceeds the time of a statement; it is read again as smaller parts. */
async function tryRead(store: Store, statement: RawBuilder<Part>, mayShrink: boolean): Promise<Part | undefined> {
  try {
    const { rows } = await store.read((reader) => statement.execute(reader));
    const [part] = rows;
    if (part === undefined) throw new Error('The database returned no part.');
    return part;
  } catch (error) {
    if (error instanceof StoreUnavailable && mayShrink) return undefined;
    throw error;
  }
}

/** The end of each statement: a `Part`. */
const resultOf = (entries: RawBuilder<unknown>) => sql`
  select (select id from part order by id desc limit 1) as last, count(*) as count, ${entries} as entries,
         (select json_agg(faults) from faults)::text as faults
  from checked`;

const transactionsPart: PartStatement = (after, limit) => sql`
  with part as (select id from ledger_transactions where id > ${after} order by id limit ${limit}),
  checked as (
    select part.id, count(line.number) as lines, coalesce(sum(line.delta_minor), 0) as sum
    from part left join ledger_entries line on line.transaction_id = part.id group by part.id
  ),
  faults as (
    select 'transaction' as kind, id, format('its %s entries sum to %s instead of 0', lines, sum) as message
    from checked where sum <> 0 or lines = 0
  ) ${resultOf(sql`coalesce(sum(lines), 0)::bigint`)}`;

const walletsPart: PartStatement = (after, limit) => sql`
  with part as (
    select agent_id as id, available_minor as available, reserved_minor as reserved
    from wallets where agent_id > ${after} order by agent_id limit ${limit}
  ),
  checked as (
    select part.*, entries.available_entries, entries.reserved_entries, open.open_orders
    from part
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

// An order is due its total as a reserve once it is funded; when it is closed, the
// reserve goes to the contractor and the platform, or back to the customer.
const ordersPart: PartStatement = (after, limit) => sql`
  with part as (
    select *, state not in ('offered', 'cancelled', 'rejected') as is_funded,
           state = 'closed' and outcome is not distinct from 'accepted' as is_paid,
           state = 'closed' and outcome is distinct from 'accepted' as is_refunded
    from orders where id > ${after} order by id limit ${limit}
  ),
  checked as (
    select part.id, state, version, history.*,
           format(${postings}, posted.reserved, posted.paid, posted.charged, posted.refunded) as posted,
           format(${postings}, is_funded::int * total_minor, is_paid::int * amount_minor, is_paid::int * fee_minor,
                  is_refunded::int * total_minor) as due
    from part
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

/** The credits of the platform as a whole, in minor units. */
export interface CreditTotals {
  readonly issued: number;
  readonly available: number;
  readonly reserved: number;
  readonly fees: number;
}

/** Sums the credits: the issued ones equal the balances of all agents plus the fees of the platform. */
export async function sumCredits(reader: Reader): Promise<CreditTotals> {
  const { rows } = await sql<Record<keyof CreditTotals, number | string>>`
    select
      (select coalesce(-sum(delta_minor), 0)::bigint from ledger_entries
       where agent_id is null and account_kind = 'issuance') as issued,
      (select coalesce(sum(delta_minor), 0)::bigint from ledger_entries
       where agent_id is null and account_kind = 'fees') as fees,
      (select coalesce(sum(available_minor), 0)::bigint from wallets) as available,
      (select coalesce(sum(reserved_minor), 0)::bigint from wallets) as reserved`.execute(reader);
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no sums.');
  return {
    issued: safeInteger(row.issued),
    available: safeInteger(row.available),
    reserved: safeInteger(row.reserved),
    fees: safeInteger(row.fees),
  };
}
