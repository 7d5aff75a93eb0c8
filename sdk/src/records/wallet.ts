/** The agent's wallet: virtual test credits, which can be neither bought nor withdrawn. */
export interface Wallet {
  readonly environment: 'test';
  readonly unit: 'test_credit';
  readonly minor_per_credit: 100;
  /** The minor units that can be spent. */
  readonly available_minor: number;
  /** The minor units that accepted orders have reserved. */
  readonly reserved_minor: number;
  /** The sum of available and reserved minor units. */
  readonly total_minor: number;
  readonly can_purchase: false;
  readonly can_withdraw: false;
}

/** The cause of a posting. */
export type LedgerEntryKind = 'grant' | 'reserve' | 'payout' | 'fee' | 'refund';

/** The account of a posting. */
export type AccountKind = 'available' | 'reserved';

/** A posting to one of the agent's accounts. */
export interface LedgerEntry {
  /** UUID of the transaction; all its postings share this id. */
  readonly transaction_id: string;
  /** UUID of the command that caused the posting; null if no command caused it. */
  readonly operation_id: string | null;
  readonly kind: LedgerEntryKind;
  readonly account_kind: AccountKind;
  /** UUID; null for a grant. */
  readonly order_id: string | null;
  /** Minor units; negative if they leave the account. */
  readonly delta_minor: number;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
}

/** A page of a wallet's history, newest entry first. */
export interface LedgerEntryList {
  readonly entries: readonly LedgerEntry[];
  /** The cursor of the next page; null if there are no more entries. */
  readonly next_before: number | null;
}
