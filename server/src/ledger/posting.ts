import type { AccountKind, LedgerEntryKind } from '@agent-platform/contract';

/** An account of the ledger: two for each agent, and two of the platform. */
type Account =
  | { readonly agentId: string; readonly kind: AccountKind }
  | { readonly agentId: null; readonly kind: 'issuance' | 'fees' };

/** One line of a transaction: an amount for one account, never 0. */
export interface Posting {
  readonly account: Account;
  readonly kind: LedgerEntryKind;
  readonly deltaMinor: number;
}

/** The price of an order and its two agents. */
export interface PricedOrder {
  readonly customerId: string;
  readonly contractorId: string;
  readonly amountMinor: number;
  readonly feeMinor: number;
}

/** A grant comes from the platform's issuance account, whose balance is negative. */
export function grantPostings(agentId: string, amountMinor: number): readonly Posting[] {
  return [
    { account: { agentId: null, kind: 'issuance' }, kind: 'grant', deltaMinor: -amountMinor },
    { account: { agentId, kind: 'available' }, kind: 'grant', deltaMinor: amountMinor },
  ];
}

/** The customer of an accepted order reserves its total. */
export function reservePostings(order: PricedOrder): readonly Posting[] {
  return moveTotal(order, 'reserve', 'available', 'reserved');
}

/** A refund returns the total, commission included. */
export function refundPostings(order: PricedOrder): readonly Posting[] {
  return moveTotal(order, 'refund', 'reserved', 'available');
}

/** A completed order pays the contractor and the platform from the customer's reserve (D-14). */
export function payoutPostings({ customerId, contractorId, amountMinor, feeMinor }: PricedOrder): readonly Posting[] {
  const reserve: Account = { agentId: customerId, kind: 'reserved' };
  return withoutZero([
    { account: reserve, kind: 'payout', deltaMinor: -amountMinor },
    { account: { agentId: contractorId, kind: 'available' }, kind: 'payout', deltaMinor: amountMinor },
    { account: reserve, kind: 'fee', deltaMinor: -feeMinor },
    { account: { agentId: null, kind: 'fees' }, kind: 'fee', deltaMinor: feeMinor },
  ]);
}

function moveTotal(order: PricedOrder, kind: LedgerEntryKind, from: AccountKind, to: AccountKind): readonly Posting[] {
  const totalMinor = order.amountMinor + order.feeMinor;
  return [
    { account: { agentId: order.customerId, kind: from }, kind, deltaMinor: -totalMinor },
    { account: { agentId: order.customerId, kind: to }, kind, deltaMinor: totalMinor },
  ];
}

function withoutZero(postings: readonly Posting[]): readonly Posting[] {
  return postings.filter(({ deltaMinor }) => deltaMinor !== 0);
}

/** The changes of the two accounts of one agent. */
export interface WalletChange {
  readonly agentId: string;
  readonly availableMinor: number;
  readonly reservedMinor: number;
}

/**
 * Sums the postings of a transaction by agent, in the order of ids, in which
 * wallets are locked. The accounts of the platform have no balance row, which every
 * completed order would have to wait for.
 */
export function walletChanges(postings: readonly Posting[]): readonly WalletChange[] {
  const changes = new Map<string, WalletChange>();
  for (const { account, deltaMinor } of postings) {
    if (account.agentId === null) continue;
    const { agentId } = account;
    const before = changes.get(agentId) ?? { agentId, availableMinor: 0, reservedMinor: 0 };
    const balance = account.kind === 'available' ? 'availableMinor' : 'reservedMinor';
    changes.set(agentId, { ...before, [balance]: before[balance] + deltaMinor });
  }
  return [...changes.values()].sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
}

/** The sum of the postings of a transaction; it must be 0. */
export function sumOf(postings: readonly Posting[]): number {
  return postings.reduce((sum, { deltaMinor }) => sum + deltaMinor, 0);
}
