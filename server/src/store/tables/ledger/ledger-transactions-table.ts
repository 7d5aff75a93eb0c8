import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks } from '../definitions.ts';

/** The heads of the ledger's transactions: why credits moved. Only appended to. */
export const LedgerTransactionsTable = defineEntity({
  name: 'LedgerTransactionRow',
  tableName: 'ledger_transactions',
  properties: {
    id: p.uuid().primary(),
    movement: p.text(),
    /** Null for a grant. */
    order_id: p.uuid().nullable(),
    /** Of the command that caused it (D-14). */
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
