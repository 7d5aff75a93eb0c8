import { type LedgerEntry, limits, type Wallet } from '@agent-platform/contract';
import type { Page } from '../platform/page.ts';
import { formatTimestamp, toSafeInteger } from '../store/decode.ts';

export interface WalletBalances {
  readonly available_minor: number | string;
  readonly reserved_minor: number | string;
}

export interface StoredLedgerEntry extends Omit<LedgerEntry, 'delta_minor' | 'created_at'> {
  readonly number: number | string;
  readonly delta_minor: number | string;
  readonly created_at: Date | string;
}

export function showWallet(balances: WalletBalances): Wallet {
  const available = toSafeInteger(balances.available_minor);
  const reserved = toSafeInteger(balances.reserved_minor);
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

/** Formats an entry for its agent (§6.7). */
function showEntry({ number: _, delta_minor, created_at, ...entry }: StoredLedgerEntry): LedgerEntry {
  return { ...entry, delta_minor: toSafeInteger(delta_minor), created_at: formatTimestamp(created_at) };
}

/** Formats a page of a history (§6.5); the number of its last entry is the cursor of the next page. */
export function showWalletHistory({ items, hasMore }: Page<StoredLedgerEntry>) {
  const last = hasMore ? items.at(-1) : undefined;
  return { entries: items.map(showEntry), next_before: last === undefined ? null : toSafeInteger(last.number) };
}
