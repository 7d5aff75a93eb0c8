import { limits, type QueryOf, type readWalletHistory } from '@agent-platform/contract';
import {
  type AuthenticatedAgent,
  authenticateWithQuery,
  callerParameters,
  selectAgentOfTokenSql,
} from '../identity/tokens/token-queries.ts';
import type { Clock } from '../platform/clock.ts';
import type { Page } from '../platform/page.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { prepareSqlText } from '../store/statements/prepared.ts';
import type { BatchedStatement, Store } from '../store/store.ts';
import type { StoredLedgerEntry, WalletBalances } from './wallet-view.ts';

const balancesOfAgent = prepareSqlText<WalletBalances>(
  'balances-of-agent',
  'select available_minor, reserved_minor from wallets where agent_id = $1',
);

export async function findBalances(store: Store, agentId: string): Promise<WalletBalances> {
  const [row] = await store.run(balancesOfAgent, [agentId]);
  return row ?? { available_minor: 0, reserved_minor: 0 };
}

// The inner limit is a literal: with a parameter, the generic plan would have to suit every limit and could read the
// whole history.
const entriesOfAgent = prepareSqlText<StoredLedgerEntry>(
  'entries-of-agent',
  `select shown.number, shown.transaction_id, head.operation_id, shown.kind, shown.account_kind, head.order_id,
          shown.delta_minor, head.created_at
   from (
     select number, transaction_id, kind, account_kind, delta_minor from ledger_entries
     where agent_id = $1 and number < $2 order by number desc limit ${limits.walletHistoryMax + 1}
   ) shown
   join ledger_transactions head on head.id = shown.transaction_id
   order by shown.number desc limit $3`,
);

/** Reads the balances in the statement that authenticates the caller, because agents poll their wallets. */
const callerWithBalances: BatchedStatement<WalletBalances & AuthenticatedAgent> = prepareBatchedQuery(
  'caller-with-balances',
  callerParameters,
  (parameter) => `select bots.id, bots.suspended_at, coalesce(available_minor, 0) as available_minor,
          coalesce(reserved_minor, 0) as reserved_minor
   from (${selectAgentOfTokenSql(parameter)}) token join bots on bots.id = token.bot_id
   left join wallets on wallets.agent_id = bots.id`,
);

export async function authenticateWithBalances(
  store: Store,
  clock: Clock,
  token: string,
): Promise<WalletBalances & AuthenticatedAgent> {
  return (await authenticateWithQuery(callerWithBalances, store, clock, token)).agent;
}

/** The entries of an agent's own accounts with numbers below `before`, newest first. */
export async function listLedgerEntries(
  store: Store,
  agentId: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: QueryOf<typeof readWalletHistory>,
): Promise<Page<StoredLedgerEntry>> {
  // A bound that JSON parsing rounded up may no longer fit into 64 bits.
  const bound = Math.min(before, Number.MAX_SAFE_INTEGER);
  const rows = await store.run(entriesOfAgent, [agentId, bound, limit + 1]);
  return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
