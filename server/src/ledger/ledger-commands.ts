import { prepareText, runPrepared } from '../store/prepared.ts';
import type { Writer } from '../store/store.ts';
import { type Posting, sumOf, walletChanges } from './posting.ts';

/** A transaction of the ledger, ready to be written. */
interface LedgerTransaction {
  readonly id: string;
  readonly movement: 'grant' | 'reserve' | 'payout' | 'refund';
  /** Null for a grant. */
  readonly orderId: string | null;
  readonly operationId: string;
  readonly postings: readonly Posting[];
  readonly now: Date;
}

/**
 * Moves credits: changes the balances and appends the postings. Returns
 * `not_covered` where a balance would fall below zero; the caller then rolls the
 * transaction back.
 */
export async function post(writer: Writer, transaction: LedgerTransaction): Promise<'posted' | 'not_covered'> {
  const { id, movement, orderId, operationId, postings, now } = transaction;
  if (sumOf(postings) !== 0) throw new Error(`The postings of ${movement} ${id} do not sum to zero.`);
  // In the order of ids: transactions between the same agents wait for each other
  // instead of deadlocking. Orders are locked before wallets.
  for (const { agentId, availableMinor, reservedMinor } of walletChanges(postings)) {
    // An agent that only receives may have no wallet yet.
    const statement = availableMinor >= 0 && reservedMinor >= 0 ? fillWallet : drawWallet;
    const changed = await runPrepared(writer, statement, [agentId, availableMinor, reservedMinor]);
    if (changed.length === 0) return 'not_covered';
  }
  await runPrepared(writer, recordTransaction, [
    ...[id, movement, orderId, operationId, now],
    ...[postings.map(({ agentId }) => agentId), postings.map(({ account }) => account)],
    ...[postings.map(({ kind }) => kind), postings.map(({ deltaMinor }) => deltaMinor)],
  ]);
  return 'posted';
}

/** Takes from a wallet. The check and the change are one statement, so no other change can come between them. */
const drawWallet = prepareText<{ agent_id: string }>(
  'draw-wallet',
  `update wallets set available_minor = available_minor + $2, reserved_minor = reserved_minor + $3
   where agent_id = $1 and available_minor + $2 >= 0 and reserved_minor + $3 >= 0
   returning agent_id`,
);

/** Adds to a wallet, and opens it where there is none. */
const fillWallet = prepareText<{ agent_id: string }>(
  'fill-wallet',
  `insert into wallets (agent_id, available_minor, reserved_minor) values ($1, $2, $3)
   on conflict (agent_id) do update set
     available_minor = wallets.available_minor + excluded.available_minor,
     reserved_minor = wallets.reserved_minor + excluded.reserved_minor
   returning agent_id`,
);

/** Appends a transaction with its postings. */
const recordTransaction = prepareText<never>(
  'record-ledger-transaction',
  `with head as (
     insert into ledger_transactions (id, movement, order_id, operation_id, created_at)
     values ($1, $2, $3, $4, $5) returning id
   )
   insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
   select head.id, line.agent_id, line.account_kind, line.kind, line.delta_minor
   from head, unnest($6::uuid[], $7::text[], $8::text[], $9::bigint[]) with ordinality
     as line (agent_id, account_kind, kind, delta_minor, position)
   order by line.position`,
);
