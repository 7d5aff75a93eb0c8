import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks, sqlIndex } from '../definitions.ts';

/** The postings. Only appended to; every transaction sums to zero over all of its lines. */
export const LedgerEntriesTable = defineEntity({
  name: 'LedgerEntryRow',
  tableName: 'ledger_entries',
  properties: {
    transaction_id: p.uuid().primary(),
    /**
     * The order of an agent's history, and the bound of its pages. It is given while the
     * agent's wallet is locked, so within a history it is the order of commits as well.
     */
    number: p.bigint('number').primary().autoincrement(),
    /** Null for the platform's own accounts, which keep no balance beside their entries. */
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
