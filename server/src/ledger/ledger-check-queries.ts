import type { RawBuilder } from 'kysely';
import { lowestId } from '../platform/crypto.ts';
import { toSafeInteger } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import {
  checkOrdersPart,
  checkTransactionsPart,
  checkWalletsPart,
  computeIdLowerBound,
  type LedgerPartCheck,
  type LedgerPartResult,
} from './ledger-part-queries.ts';

export interface LedgerFault {
  readonly kind: 'transaction' | 'wallet' | 'reserve' | 'order' | 'history';
  /** The id of the transaction, the agent or the order. */
  readonly id: string;
  readonly message: string;
}

/** Faults beyond this number are only counted. */
const reportedMax = 100;

interface LedgerCheck {
  /** Limits the check to changes since this time. Without it, the whole ledger is checked. */
  readonly since?: Date | undefined;
  /** Called after each batch of rows in a table. */
  readonly report?: (progress: { readonly table: string; readonly checked: number }) => void;
}

/**
 * Checks the ledger: every transaction sums to zero, every balance is the sum of its entries, every reserve is the
 * total of the customer's open orders, and every order has the postings and the history that its state requires. With
 * `since`, only the transactions and orders since then and the wallets that they changed are checked; rows that were
 * falsified without a new transaction or version are not read.
 *
 * Scans each table in parts, each with one statement and therefore in one snapshot, so that compared values are
 * consistent while the server runs, without locks or buffers.
 */
export async function checkLedger(store: Store, { since, report = () => undefined }: LedgerCheck = {}) {
  const scanned = async (table: string, statement: LedgerPartCheck, after = lowestId) =>
    await scan(store, statement(since), after, (checked) => report({ table, checked }));
  const transactions = await scanned('transactions', checkTransactionsPart, since && computeIdLowerBound(since));
  const wallets = await scanned('wallets', checkWalletsPart);
  const orders = await scanned('orders', checkOrdersPart);
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

// The part size adapts to the duration of the statements, because an agent may have ten entries or a million. The
// embedded database serves no other query during a statement.
const partMax = 16_000;
const quickMs = 100;
const slowMs = 400;

async function scan(
  store: Store,
  statement: ReturnType<LedgerPartCheck>,
  first: string,
  report: (checked: number) => void,
) {
  const faults: LedgerFault[] = [];
  let [after, limit, count, entries, faultCount] = [first, 250, 0, 0, 0];
  for (;;) {
    const startedMs = performance.now();
    const part = await tryRead(store, statement(after, limit), limit > 1);
    if (part === undefined) {
      limit = Math.ceil(limit / 10);
      continue;
    }
    if (part.last === null) return { count, entries, faultCount, faults };
    after = part.last;
    count += toSafeInteger(part.count);
    entries += toSafeInteger(part.entries);
    const found: readonly LedgerFault[] = JSON.parse(part.faults ?? '[]');
    faultCount += found.length;
    report(count);
    faults.push(...found.slice(0, reportedMax - Math.min(reportedMax, faults.length)));
    const tookMs = performance.now() - startedMs;
    if (tookMs < quickMs) limit = Math.min(partMax, limit * 2);
    else if (tookMs > slowMs) limit = Math.max(1, Math.floor(limit / 2));
  }
}

/** Returns undefined if a part exceeds the statement timeout; the caller then reads it in smaller parts. */
async function tryRead(
  store: Store,
  statement: RawBuilder<LedgerPartResult>,
  mayShrink: boolean,
): Promise<LedgerPartResult | undefined> {
  try {
    const { rows } = await store.read((reader) => statement.execute(reader));
    const [part] = rows;
    if (part === undefined) throw new Error('The database returned no batch.');
    return part;
  } catch (error) {
    if (error instanceof StoreUnavailableError && mayShrink) return undefined;
    throw error;
  }
}
