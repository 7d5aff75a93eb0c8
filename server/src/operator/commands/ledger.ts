import Type from 'typebox';
import { proveLedger, sumCredits } from '../../ledger/verify-queries.ts';
import { operatorCommand } from '../command.ts';
import { layOutCard } from '../layout.ts';
import { Closed } from '../schemas.ts';
import { showCredits } from './credits.ts';

const Totals = Closed({
  issued: Type.Integer(),
  available: Type.Integer(),
  reserved: Type.Integer(),
  fees: Type.Integer(),
});

/** A ledger of millions of entries takes its time. */
const proofWithinMs = 60 * 60_000;

const verifying = operatorCommand({
  name: 'ledger verify',
  summary: 'verify the ledger while the server runs; on failure exit code 1 and a list of the faults',
  arguments: Closed({}),
  result: Closed({
    right: Type.Boolean(),
    transactions: Type.Integer(),
    entries: Type.Integer(),
    wallets: Type.Integer(),
    orders: Type.Integer(),
    totals_minor: Totals,
    fault_count: Type.Integer(),
    faults: Type.Array(Closed({ kind: Type.String(), id: Type.String(), message: Type.String() })),
  }),
  answerWithinMs: proofWithinMs,
  run: async (parts) => {
    const store = await parts.store.upToDate();
    const { faultCount, faults, ...seen } = await proveLedger(store);
    const totals = await store.read(sumCredits);
    const adds = totals.issued === totals.available + totals.reserved + totals.fees;
    const all = adds ? faults : [...faults, unevenTotals];
    const fault_count = faultCount + (adds ? 0 : 1);
    return {
      right: fault_count === 0,
      ...seen,
      totals_minor: { ...totals },
      fault_count,
      faults: all.map((fault) => ({ ...fault })),
    };
  },
  isGood: ({ right }) => right,
  show: ({ right, transactions, entries, wallets, orders, totals_minor, fault_count, faults }) =>
    [
      layOutCard([
        ['transactions', `${transactions} (${entries} entries)`],
        ['wallets', String(wallets)],
        ['orders', String(orders)],
        ['issued', showCredits(totals_minor.issued)],
        ['available', showCredits(totals_minor.available)],
        ['reserved', showCredits(totals_minor.reserved)],
        ['fees', showCredits(totals_minor.fees)],
      ]),
      '',
      right
        ? 'The ledger is consistent: every transaction sums to zero, every balance equals the sum of its entries, and every reserve equals the total of its open orders.'
        : `The ledger is inconsistent, ${fault_count} fault(s):`,
      ...faults.map(({ kind, id, message }) => `  ${kind} ${id}: ${message}`),
      ...(fault_count > faults.length ? [`  and ${fault_count - faults.length} more`] : []),
    ].join('\n'),
});

const unevenTotals = {
  kind: 'totals',
  id: 'all',
  message: 'issued credits differ from the balances of all agents plus the platform fees',
};

/** What an operator does with the ledger. */
export const ledgerCommands = [verifying];
