/** What is wrong in the ledger: where, and what was found against what has to be. */
export interface LedgerFault {
  readonly kind: 'transaction' | 'wallet' | 'reserve' | 'order' | 'history';
  /** Of the transaction, the agent or the order. */
  readonly id: string;
  readonly message: string;
}

/** A transaction whose lines do not sum to zero. */
export interface UnevenTransaction {
  readonly id: string;
  readonly lines: number;
  readonly sum: number;
}

/** A wallet with what its entries and its customer's open orders say it has to hold. */
export interface ProvenWallet {
  readonly agent_id: string;
  readonly available: number;
  readonly reserved: number;
  readonly available_entries: number;
  readonly reserved_entries: number;
  readonly open_orders: number;
}

/** An order with what was posted for it, and what its history has. */
export interface ProvenOrder {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly outcome: string | null;
  readonly amount: number;
  readonly fee: number;
  readonly total: number;
  readonly reserved: number;
  readonly paid: number;
  readonly charged: number;
  readonly refunded: number;
  readonly versions: number;
  readonly last_version: number | null;
  readonly last_state: string | null;
}

/** Says of a transaction what is wrong with it. */
export function faultOfTransaction({ id, lines, sum }: UnevenTransaction): LedgerFault {
  return { kind: 'transaction', id, message: `its ${lines} entries sum to ${sum} instead of 0` };
}

/** Says of a wallet what is wrong with it. */
export function faultsOfWallet(wallet: ProvenWallet): readonly LedgerFault[] {
  const { agent_id: id, available, reserved, available_entries, reserved_entries, open_orders } = wallet;
  const faults: LedgerFault[] = [];
  if (available !== available_entries || reserved !== reserved_entries) {
    const message = `it has ${available} available and ${reserved} reserved, but its entries sum to ${available_entries} and ${reserved_entries}`;
    faults.push({ kind: 'wallet', id, message });
  }
  if (reserved !== open_orders) {
    const message = `${reserved} are reserved, but the open orders of this customer require ${open_orders}`;
    faults.push({ kind: 'reserve', id, message });
  }
  return faults;
}

/** Says of an order what is wrong with its postings and its history. */
export function faultsOfOrder(order: ProvenOrder): readonly LedgerFault[] {
  const { id, state, version } = order;
  const faults: LedgerFault[] = [];
  const posted = describePostings(order);
  const due = describePostings({ ...order, ...duePostings(order) });
  if (posted !== due)
    faults.push({ kind: 'order', id, message: `its state ${state} requires ${due}; its postings are ${posted}` });
  if (order.versions !== version || order.last_version !== version || order.last_state !== state) {
    const message = `it is ${state} at version ${version}, but its history has ${order.versions} entries up to ${order.last_state} at version ${order.last_version}`;
    faults.push({ kind: 'history', id, message });
  }
  return faults;
}

/** What has to have been posted for an order in its state. */
function duePostings({ state, outcome, amount, fee, total }: ProvenOrder) {
  const nothing = { reserved: 0, paid: 0, charged: 0, refunded: 0 };
  switch (state) {
    case 'offered':
    case 'cancelled':
    case 'rejected':
      return nothing;
    case 'closed':
      return outcome === 'accepted'
        ? { ...nothing, reserved: total, paid: amount, charged: fee }
        : { ...nothing, reserved: total, refunded: total };
    default:
      return { ...nothing, reserved: total };
  }
}

function describePostings({ reserved, paid, charged, refunded }: ReturnType<typeof duePostings>): string {
  return `${reserved} reserved, ${paid} paid, ${charged} of commission, ${refunded} refunded`;
}
