import { sql } from 'kysely';
import { safeInteger } from '../store/decode.ts';
import type { Reader, Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/unavailable.ts';
import {
  faultOfTransaction,
  faultsOfOrder,
  faultsOfWallet,
  type LedgerFault,
  type ProvenOrder,
  type ProvenWallet,
  type UnevenTransaction,
} from './ledger-fault.ts';

/** What was looked at, and what is wrong. */
export interface LedgerProof {
  readonly transactions: number;
  readonly entries: number;
  readonly wallets: number;
  readonly orders: number;
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly LedgerFault[];
}

/** More are counted and not named. */
const namedMax = 100;

/**
 * Proves the ledger: every transaction sums to zero, every balance is the sum
 * of its entries, every reserve that of the customer's open orders, and every
 * order has the postings and the history that its state needs.
 *
 * It walks through the tables part by part, each part in one statement and so
 * in one snapshot: what is compared belongs together while the server goes on,
 * nothing is held in memory or locked, and others have their turn in between.
 */
export async function checkLedger(store: Store): Promise<LedgerProof> {
  const faults: LedgerFault[] = [];
  let faultCount = 0;
  const note = (found: readonly LedgerFault[]) => {
    faultCount += found.length;
    faults.push(...found.slice(0, Math.max(0, namedMax - faults.length)));
  };
  const transactions = await walk(store, readTransactions, (part) => note(part.map(faultOfTransaction)));
  const wallets = await walk(store, readWallets, (part) => note(part.flatMap(faultsOfWallet)));
  const orders = await walk(store, readOrders, (part) => note(part.flatMap(faultsOfOrder)));
  const entries = transactions.inside;
  return {
    transactions: transactions.count,
    entries,
    wallets: wallets.count,
    orders: orders.count,
    faultCount,
    faults,
  };
}

/** Text that is JSON of this. */
type JsonText<T> = string & { readonly holds?: T };

/** A part of a table: how far it goes, how many rows it has and which of them have to be judged. */
interface Part<Row> {
  readonly last: string | null;
  readonly count: number | string;
  /** Rows that belong to those. */
  readonly inside: number | string;
  /** A JSON array, as text because the drivers differ in whether they parse it; null where all is well. */
  readonly wrong: JsonText<readonly Row[]> | null;
}

type ReadPart<Row> = (reader: Reader, after: string, limit: number) => Promise<Part<Row>>;

const beforeAll = '00000000-0000-0000-0000-000000000000';

// The parts grow and shrink with what a statement takes: an agent may have ten
// entries or a million. The embedded database serves nobody else meanwhile.
const partMax = 4_000;
const quickMs = 100;
const slowMs = 400;

async function walk<Row>(
  store: Store,
  readPart: ReadPart<Row>,
  see: (wrong: readonly Row[]) => void,
): Promise<{ readonly count: number; readonly inside: number }> {
  let [after, limit, count, inside] = [beforeAll, 250, 0, 0];
  for (;;) {
    const startedMs = performance.now();
    const part = await readOrShrink(store, readPart, after, limit);
    if (part === undefined) {
      limit = Math.ceil(limit / 10);
      continue;
    }
    if (part.last === null) return { count, inside };
    after = part.last;
    count += safeInteger(part.count);
    inside += safeInteger(part.inside);
    if (part.wrong !== null) see(JSON.parse(part.wrong) as readonly Row[]);
    const tookMs = performance.now() - startedMs;
    if (tookMs < quickMs) limit = Math.min(partMax, limit * 2);
    else if (tookMs > slowMs) limit = Math.max(1, Math.floor(limit / 2));
  }
}

/** A part that takes longer than a statement may is read again as a smaller one. */
async function readOrShrink<Row>(
  store: Store,
  readPart: ReadPart<Row>,
  after: string,
  limit: number,
): Promise<Part<Row> | undefined> {
  try {
    return await store.read((reader) => readPart(reader, after, limit));
  } catch (error) {
    if (error instanceof StoreUnavailable && limit > 1) return undefined;
    throw error;
  }
}

const readTransactions: ReadPart<UnevenTransaction> = (reader, after, limit) =>
  only(
    sql<Part<UnevenTransaction>>`
    with part as (select id from ledger_transactions where id > ${after} order by id limit ${limit}),
    proven as (
      select part.id, count(line.number) as lines, coalesce(sum(line.delta_minor), 0) as sum
      from part left join ledger_entries line on line.transaction_id = part.id group by part.id
    )
    select (select id from part order by id desc limit 1) as last, count(*) as count,
           coalesce(sum(lines), 0)::bigint as inside,
           (json_agg(proven) filter (where sum <> 0 or lines = 0))::text as wrong
    from proven`.execute(reader),
  );

const readWallets: ReadPart<ProvenWallet> = (reader, after, limit) =>
  only(
    sql<Part<ProvenWallet>>`
    with part as (
      select agent_id, available_minor as available, reserved_minor as reserved
      from wallets where agent_id > ${after} order by agent_id limit ${limit}
    ),
    proven as (
      select part.*, entries.available_entries, entries.reserved_entries, open.open_orders
      from part
      cross join lateral (
        select coalesce(sum(delta_minor) filter (where account_kind = 'available'), 0) as available_entries,
               coalesce(sum(delta_minor) filter (where account_kind = 'reserved'), 0) as reserved_entries
        from ledger_entries where ledger_entries.agent_id = part.agent_id
      ) entries
      cross join lateral (
        select coalesce(sum(total_minor), 0) as open_orders from orders
        where customer_id = part.agent_id and state in ('funded', 'in_progress', 'delivered', 'disputed')
      ) open
    )
    select (select agent_id from part order by agent_id desc limit 1) as last, count(*) as count, 0 as inside,
           (json_agg(proven) filter (
             where available <> available_entries or reserved <> reserved_entries or reserved <> open_orders
           ))::text as wrong
    from proven`.execute(reader),
  );

// What an order has to have is the rule's to say (ledger-fault.ts): every order
// that is not an untouched offer is handed over, in parts.
const readOrders: ReadPart<ProvenOrder> = (reader, after, limit) =>
  only(
    sql<Part<ProvenOrder>>`
    with part as (select * from orders where id > ${after} order by id limit ${limit}),
    proven as (
      select part.id, state, version, outcome, amount_minor as amount, fee_minor as fee, total_minor as total,
             posted.reserved, posted.paid, posted.charged, posted.refunded,
             history.versions, history.last_version, history.last_state
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
    )
    select (select id from part order by id desc limit 1) as last, count(*) as count, 0 as inside,
           json_agg(proven)::text as wrong
    from proven`.execute(reader),
  );

async function only<Row>(result: Promise<{ readonly rows: readonly Part<Row>[] }>): Promise<Part<Row>> {
  const [part] = (await result).rows;
  if (part === undefined) throw new Error('The database returned no part.');
  return part;
}

/** The credits of the platform as a whole, in minor units. */
export interface CreditTotals {
  readonly issued: number;
  readonly available: number;
  readonly reserved: number;
  readonly fees: number;
}

/** Sums up the credits: what was issued is what agents have and the platform earned. */
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
  const { issued, available, reserved, fees } = row;
  return {
    issued: safeInteger(issued),
    available: safeInteger(available),
    reserved: safeInteger(reserved),
    fees: safeInteger(fees),
  };
}
