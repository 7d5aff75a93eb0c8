import { checkLedger, sumCredits } from '../../ledger/ledger-check-queries.ts';
import { operatorCommand } from '../command.ts';
import { formatCard } from '../format.ts';
import { describeTotals } from './credits.ts';

/** Millions of entries take minutes. */
const checkWithinMs = 60 * 60_000;

/** Verifies the ledger. */
export const ledgerVerify = operatorCommand({
  name: 'ledger verify',
  summary: 'verify the ledger while the server runs; on failure exit code 1 and a list of the faults',
  answerWithinMs: checkWithinMs,
  run: async (parts) => {
    const store = await parts.store.upToDate();
    const { faultCount, faults, ...checked } = await checkLedger(store);
    const totals_minor = await store.read(sumCredits);
    const isBalanced = totals_minor.issued === totals_minor.available + totals_minor.reserved + totals_minor.fees;
    const fault_count = faultCount + (isBalanced ? 0 : 1);
    return {
      right: fault_count === 0,
      ...checked,
      ...{ totals_minor, fault_count, faults: isBalanced ? faults : [...faults, unevenTotals] },
    };
  },
  succeeded: ({ right }) => right,
  format: ({ right, transactions, entries, wallets, orders, totals_minor, fault_count, faults }) =>
    [
      formatCard([
        ['transactions', `${transactions} (${entries} entries)`],
        ['wallets', String(wallets)],
        ['orders', String(orders)],
        ...describeTotals(totals_minor),
      ]),
      '',
      right
        ? 'The ledger is consistent: every transaction sums to zero, every balance equals the sum of its entries, and every reserve equals the total of its open orders.'
        : `The ledger is inconsistent, ${fault_count} fault(s):`,
      ...faults.map(({ kind, id, message }) => `  ${kind} ${id}: ${message}`),
      ...(fault_count > faults.length ? [`  and ${fault_count - faults.length} more`] : []),
      ...(right ? [] : ['', 'Repairs nothing. Stop the server, take a backup, investigate.']),
    ].join('\n'),
});

const unevenTotals = {
  kind: 'totals',
  id: 'all',
  message: 'issued credits differ from the balances of all agents plus the platform fees',
};
