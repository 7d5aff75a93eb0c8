import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks, sqlIndex } from './definitions.ts';

/** The sums of the entries in an agent's two accounts. Agents that never had credits have no row. */
export const WalletsTable = defineEntity({
  name: 'WalletRow',
  tableName: 'wallets',
  properties: {
    agent_id: p.uuid().primary(),
    available_minor: p.bigint('number'),
    reserved_minor: p.bigint('number'),
  },
  // The statement that changes a balance checks it first; a violated constraint is a defect.
  checks: namedChecks({
    wallets_available_covered: 'available_minor >= 0',
    wallets_reserved_covered: 'reserved_minor >= 0',
    wallets_total_safe: 'available_minor + reserved_minor <= 9007199254740991',
  }),
});

/** The headers of the ledger's transactions: why credits were moved. Append-only. */
export const LedgerTransactionsTable = defineEntity({
  name: 'LedgerTransactionRow',
  tableName: 'ledger_transactions',
  properties: {
    id: p.uuid().primary(),
    movement: p.text(),
    /** Null for a grant. */
    order_id: p.uuid().nullable(),
    /** The id of the command that caused it (§6.7). */
    operation_id: p.uuid(),
    created_at: p.datetime(3),
  },
  indexes: [
    {
      name: 'ledger_transactions_granted_once',
      properties: ['operation_id'],
      expression: `create unique index ledger_transactions_granted_once on ledger_transactions (operation_id) where movement = 'grant'`,
    },
    {
      name: 'ledger_transactions_reserved_once',
      properties: ['order_id'],
      expression: `create unique index ledger_transactions_reserved_once on ledger_transactions (order_id) where movement = 'reserve'`,
    },
    {
      name: 'ledger_transactions_settled_once',
      properties: ['order_id'],
      expression: `create unique index ledger_transactions_settled_once on ledger_transactions (order_id) where movement in ('payout', 'refund')`,
    },
  ],
  checks: namedChecks({
    ledger_transactions_movement_known: `movement in ('grant', 'reserve', 'payout', 'refund')`,
    ledger_transactions_order_known: `(movement = 'grant') = (order_id is null)`,
  }),
});

/** The postings. Append-only; the lines of every transaction sum to zero. */
export const LedgerEntriesTable = defineEntity({
  name: 'LedgerEntryRow',
  tableName: 'ledger_entries',
  properties: {
    transaction_id: p.uuid().primary(),
    /**
     * The order of an agent's history, and the cursor of its pages. It is assigned while the agent's wallet is
     * locked, so within a history it is also the order of commits.
     */
    number: p.bigint('number').primary().autoincrement(),
    /** Null for the platform's own accounts, whose balances are not stored. */
    agent_id: p.uuid().nullable(),
    account_kind: p.text(),
    kind: p.text(),
    delta_minor: p.bigint('number'),
  },
  indexes: [
    sqlIndex(
      'ledger_entries_of_agent_index',
      ['agent_id', 'number'],
      'ledger_entries (agent_id, number) where agent_id is not null',
    ),
    sqlIndex(
      'ledger_entries_of_platform_index',
      ['account_kind'],
      'ledger_entries (account_kind) include (delta_minor) where agent_id is null',
    ),
  ],
  checks: namedChecks({
    ledger_entries_account_known: `account_kind in ('available', 'reserved', 'issuance', 'fees')`,
    ledger_entries_account_whole: `(agent_id is null) = (account_kind in ('issuance', 'fees'))`,
    ledger_entries_kind_known: `kind in ('grant', 'reserve', 'payout', 'fee', 'refund')`,
    ledger_entries_delta_moves: 'delta_minor <> 0',
  }),
});
