import { type CommandGroup, defineAgentCommand, parseNoInput } from '@agent-platform/cli-core/command';
import { defineListCommand } from '@agent-platform/cli-core/list-command';
import { alignAmount, formatAmount } from '@agent-platform/cli-core/output/amounts';
import { type Column, formatCard, formatTable } from '@agent-platform/cli-core/output/layout';
import { makeTimeColumn } from '@agent-platform/cli-core/output/values';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { formatCredits, type LedgerEntry } from '@agent-platform/sdk';

const ledgerColumns: readonly Column<LedgerEntry>[] = [
  makeTimeColumn('TIME', (entry) => entry.created_at),
  ['KIND', (entry) => entry.kind],
  ['ACCOUNT', (entry) => entry.account_kind],
  ['CREDITS', ({ delta_minor }) => formatChange(delta_minor)],
  ['ORDER', (entry) => entry.order_id ?? ''],
];

export const walletCommands: CommandGroup = {
  noun: 'wallet',
  summary: 'test credits and their ledger',
  commands: [
    defineAgentCommand({
      path: ['wallet', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readWallet'],
      summary: 'show your test credits: available, reserved, total',
      examples: ['agentp wallet show', 'agentp wallet show --text --fields available_minor'],
      out: schema.contractRecord('Wallet'),
      parse: parseNoInput,
      request: ({ platform, signal }) => platform.wallet.get({ signal }),
      format: (page, { available_minor, reserved_minor, total_minor, environment }) =>
        formatCard(page, `${formatAmount(total_minor)} (${environment})`, [
          ['available', alignAmount(available_minor, total_minor)],
          ['reserved', alignAmount(reserved_minor, total_minor)],
          ['total', formatCredits(total_minor)],
        ]),
    }),
    defineListCommand({
      path: ['wallet', 'history'],
      operations: ['readWalletHistory'],
      summary: 'list your ledger entries, newest first',
      description:
        'A reservation has two entries, one on each account. Credits that move out of the available account are not spent yet.',
      examples: ['agentp wallet history', 'agentp wallet history --limit 100', 'agentp wallet history --all'],
      name: 'entries',
      entry: schema.contractRecord('LedgerEntry'),
      parse: parseNoInput,
      read: ({ platform, signal }, _, pageSize) => platform.wallet.history({ limit: pageSize }, { signal }),
      format: (page, entries) => formatTable(page, entries, ledgerColumns, 'No ledger entries yet.'),
    }),
  ],
};

function formatChange(minor: number) {
  return minor < 0 ? formatCredits(minor) : ({ text: `+${formatCredits(minor)}`, paint: 'green' } as const);
}
