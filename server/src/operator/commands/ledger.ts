import Type from 'typebox';
import { sumCredits } from '../../ledger/credit-totals-queries.ts';
import { checkLedger } from '../../ledger/ledger-check-queries.ts';
import { storeLedgerCheck } from '../../ledger/verified-point-commands.ts';
import { findVerifiedUntil } from '../../ledger/verified-point-queries.ts';
import { minute } from '../../platform/clock.ts';
import { defineOperatorCommand, makeArgumentsSchema } from '../command.ts';
import { formatCard, formatTime } from '../format.ts';
import { parseTime } from '../parse-time.ts';
import type { OperatorDependencies } from '../parts.ts';
import { describeCreditTotals } from './credits.ts';

/** A check of millions of entries takes minutes. */
const checkWithinMs = 60 * minute;

/** A transaction whose id is at least this old has been committed or has failed, on any server. */
const settledAfterMs = 10 * minute;

const reportEveryMs = 2_000;

const Since = Type.Optional(
  Type.String({
    title: 'time',
    maxLength: 40,
    description: 'verify only entries changed since this time, or since the "last" verification; default: everything',
  }),
);

export const verifyLedgerCommand = defineOperatorCommand({
  name: 'ledger verify',
  summary: 'verify the ledger while the server runs; on failure list the inconsistencies and exit with 1',
  arguments: makeArgumentsSchema({ since: Since }),
  answerWithinMs: checkWithinMs,
  run: async (parts, { since: wanted }) => {
    const store = await parts.store.upToDate();
    const startedAt = parts.clock();
    const lastUntil = await store.read(findVerifiedUntil);
    const named = wanted === 'last' ? lastUntil : wanted === undefined ? undefined : parseTime('--since', wanted);
    // With a test clock, verifies everything, because transaction ids contain the system time.
    const since = parts.settings.clock === 'test' ? undefined : named;
    const { faultCount, faults, ...checked } = await checkLedger(store, { since, report: reporter(parts) });
    const totals_minor = await store.read(sumCredits);
    const isBalanced = totals_minor.issued === totals_minor.available + totals_minor.reserved + totals_minor.fees;
    const fault_count = faultCount + (isBalanced ? 0 : 1);
    const isGapless = since === undefined || (lastUntil !== undefined && since <= lastUntil);
    const verifiedUntil = fault_count > 0 ? undefined : new Date(startedAt.getTime() - settledAfterMs);
    if (fault_count > 0 || isGapless)
      await storeLedgerCheck(store, { at: parts.clock(), faults: fault_count, verifiedUntil });
    return {
      right: fault_count === 0,
      since: since?.toISOString() ?? null,
      ...checked,
      totals_minor,
      fault_count,
      faults: isBalanced ? faults : [...faults, unevenTotals],
    };
  },
  succeeded: ({ right }) => right,
  format: ({ right, since, transactions, entries, wallets, orders, totals_minor, fault_count, faults }) =>
    [
      formatCard([
        ...(since === null ? [] : [['changed since', formatTime(since)] as const]),
        ['transactions', `${transactions} (${entries} entries)`],
        ['wallets', String(wallets)],
        ['orders', String(orders)],
        ...describeCreditTotals(totals_minor),
      ]),
      '',
      right
        ? 'The ledger is consistent: every transaction sums to zero, every balance equals the sum of its entries, and every reserve equals the total of its open orders.'
        : `The ledger is inconsistent, ${fault_count} fault(s):`,
      ...faults.map(({ kind, id, message }) => `  ${kind} ${id}: ${message}`),
      ...(fault_count > faults.length ? [`  and ${fault_count - faults.length} more`] : []),
      ...(right ? [] : ['', 'Nothing was repaired. Stop the server, make a backup, then investigate.']),
    ].join('\n'),
});

function reporter({ note }: OperatorDependencies) {
  let reportedMs = performance.now();
  return ({ table, checked }: { readonly table: string; readonly checked: number }) => {
    if (performance.now() - reportedMs < reportEveryMs) return;
    reportedMs = performance.now();
    note(`verified ${checked} ${table}`);
  };
}

const unevenTotals = {
  kind: 'totals',
  id: 'all',
  message: 'issued credits differ from the balances of all agents plus the platform fees',
};
