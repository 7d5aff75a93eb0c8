import { limits } from '@agent-platform/contract';
import { type AuthenticatedAgent, agentOfTokenSql, authenticateWith } from '../identity/tokens/token-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { prepareText } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';
import type { Balances, StoredEntry } from './wallet-view.ts';

const balancesOfAgent = prepareText<Balances>(
  'balances-of-agent',
  'select available_minor, reserved_minor from wallets where agent_id = $1',
);

/** The balances of an agent; zero where it never had credits. */
export async function findBalances(store: Store, agentId: string): Promise<Balances> {
  const [row] = await store.run(balancesOfAgent, [agentId]);
  return row ?? { available_minor: 0, reserved_minor: 0 };
}

// The inner limit is a number of the text: with one that comes later the plan
// would have to be good for any, and could read the whole history.
const entriesOfAgent = prepareText<StoredEntry>(
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

/** The caller with its balances, in the one statement that admits it: reading a wallet is asked for again and again. */
const callerWithBalances = prepareText<Balances & AuthenticatedAgent>(
  'caller-with-balances',
  `select bots.id, bots.suspended_at, coalesce(available_minor, 0) as available_minor,
          coalesce(reserved_minor, 0) as reserved_minor
   from (${agentOfTokenSql}) token join bots on bots.id = token.bot_id
   left join wallets on wallets.agent_id = bots.id`,
);

/** Admits the caller of a wallet together with what is in it. */
export async function authenticateWithBalances(
  store: Store,
  clock: Clock,
  token: string,
): Promise<Balances & AuthenticatedAgent> {
  return (await authenticateWith(callerWithBalances, store, clock, token)).agent;
}

/** Which part of a history is asked for. */
export interface HistoryQuery {
  /** Entries with smaller numbers alone. */
  readonly before?: number;
  readonly limit: number;
}

/** The entries of an agent's own accounts, newest first, and whether older ones follow. */
export async function listEntries(
  store: Store,
  agentId: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: HistoryQuery,
): Promise<{ readonly entries: readonly StoredEntry[]; readonly hasMore: boolean }> {
  // A bound of 64 bits that came rounded would not fit into 64 bits any more.
  const bound = Math.min(before, Number.MAX_SAFE_INTEGER);
  const rows = await store.run(entriesOfAgent, [agentId, bound, limit + 1]);
  return { entries: rows.slice(0, limit), hasMore: rows.length > limit };
}
