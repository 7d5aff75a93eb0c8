import type { AccountKind, LedgerEntryKind, MoneyMovement } from '@agent-platform/contract';

/** A posting of a transaction: an amount for one account, never 0. The platform and each agent have two accounts. */
export interface Posting {
  /** Null for the accounts of the platform. */
  readonly agentId: string | null;
  readonly account: AccountKind | 'issuance' | 'fees';
  readonly kind: LedgerEntryKind;
  readonly deltaMinor: number;
}

interface PricedOrder {
  readonly customer: { readonly id: string };
  readonly contractor: { readonly id: string };
  readonly amount_minor: number;
  readonly fee_minor: number;
}

/** A grant is paid from the platform's issuance account, whose balance is therefore negative. */
export function makeGrantPostings(agentId: string, amountMinor: number): readonly Posting[] {
  return move('grant', amountMinor, { agentId: null, account: 'issuance' }, { agentId, account: 'available' });
}

/**
 * The postings of an order. Acceptance reserves the total. A payout pays the contractor and the platform from the
 * reserve (§6.9); a refund returns all of it.
 */
export function makeOrderPostings(movement: MoneyMovement, order: PricedOrder): readonly Posting[] {
  const { customer, contractor, amount_minor, fee_minor } = order;
  const available: Account = { agentId: customer.id, account: 'available' };
  const reserved: Account = { agentId: customer.id, account: 'reserved' };
  const postings: Readonly<Record<MoneyMovement, readonly Posting[]>> = {
    reserve: move('reserve', amount_minor + fee_minor, available, reserved),
    refund: move('refund', amount_minor + fee_minor, reserved, available),
    payout: [
      ...move('payout', amount_minor, reserved, { agentId: contractor.id, account: 'available' }),
      ...move('fee', fee_minor, reserved, { agentId: null, account: 'fees' }),
    ],
  };
  return postings[movement];
}

type Account = Pick<Posting, 'agentId' | 'account'>;

function move(kind: LedgerEntryKind, amountMinor: number, from: Account, to: Account): readonly Posting[] {
  if (amountMinor === 0) return [];
  return [
    { ...from, kind, deltaMinor: -amountMinor },
    { ...to, kind, deltaMinor: amountMinor },
  ];
}

export interface WalletChange {
  readonly agentId: string;
  readonly availableMinor: number;
  readonly reservedMinor: number;
}

/**
 * Sums the postings of a transaction by agent, in id order, because wallets are locked in that order. Omits the
 * platform's accounts: they have no balance rows, because every completed order would wait for their locks.
 */
export function sumWalletChanges(postings: readonly Posting[]): readonly WalletChange[] {
  const changes = new Map<string, WalletChange>();
  for (const { agentId, account, deltaMinor } of postings) {
    if (agentId === null) continue;
    const before = changes.get(agentId) ?? { agentId, availableMinor: 0, reservedMinor: 0 };
    const balance = account === 'available' ? 'availableMinor' : 'reservedMinor';
    changes.set(agentId, { ...before, [balance]: before[balance] + deltaMinor });
  }
  return [...changes.values()].sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
}

/** The sum must be 0 for every transaction. */
export function sumPostings(postings: readonly Posting[]): number {
  return postings.reduce((sum, { deltaMinor }) => sum + deltaMinor, 0);
}
