import { type LedgerEntry, limits, type Wallet } from '@agent-platform/contract';
import { safeInteger, timestamp } from '../store/decode.ts';

/** The stored balances of an agent. */
export interface Balances {
  readonly available_minor: number | string;
  readonly reserved_minor: number | string;
}

/** A stored posting with the head of its transaction. */
export interface StoredEntry {
  readonly number: number | string;
  readonly transaction_id: string;
  readonly operation_id: string;
  readonly kind: LedgerEntry['kind'];
  readonly account_kind: LedgerEntry['account_kind'];
  readonly order_id: string | null;
  readonly delta_minor: number | string;
  readonly created_at: Date | string;
}

/** A wallet as its agent sees it. */
export function showWallet(balances: Balances): Wallet {
  const available = safeInteger(balances.available_minor);
  const reserved = safeInteger(balances.reserved_minor);
  return {
    environment: 'test',
    unit: 'test_credit',
    minor_per_credit: limits.minorPerCredit,
    available_minor: available,
    reserved_minor: reserved,
    total_minor: available + reserved,
    can_purchase: false,
    can_withdraw: false,
  };
}

/** An entry as its agent sees it (D-14). */
function showEntry({ number: _, delta_minor, created_at, ...entry }: StoredEntry): LedgerEntry {
  return { ...entry, delta_minor: safeInteger(delta_minor), created_at: timestamp(created_at) };
}

/** A page of a history (D-7): the number of its last entry is the bound of the next. */
export function showHistory(entries: readonly StoredEntry[], hasMore: boolean) {
  const last = entries.at(-1);
  return {
    entries: entries.map(showEntry),
    next_before: hasMore && last !== undefined ? safeInteger(last.number) : null,
  };
}
