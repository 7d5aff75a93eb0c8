import { formatCredits, type LedgerEntry, type Quote, type Wallet } from '@agent-platform/sdk';
import { showCredits } from '../../options/amounts.ts';
import { layOutCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';
import { layOutTable } from '../../output/table.ts';
import { showTime } from '../../output/values.ts';

/** The wallet for people. */
export function layOutWallet(wallet: Wallet, page: Page): string {
  const { available_minor, reserved_minor, total_minor } = wallet;
  return layOutCard(
    {
      heading: `${showCredits(total_minor)} (${wallet.environment})`,
      rows: [
        ['available', alignRight(available_minor, total_minor)],
        ['reserved', alignRight(reserved_minor, total_minor)],
        ['total', formatCredits(total_minor)],
      ],
    },
    page,
  );
}

/** Ledger entries as a table; what came is green. */
export function layOutLedger(entries: readonly LedgerEntry[], page: Page): string {
  return layOutTable(
    {
      columns: ['TIME', 'KIND', 'ACCOUNT', 'CREDITS', 'ORDER'],
      rows: entries.map(({ created_at, kind, account_kind, delta_minor, order_id }) => [
        showTime(created_at),
        kind,
        account_kind,
        delta_minor < 0 ? formatCredits(delta_minor) : { text: `+${formatCredits(delta_minor)}`, paint: 'green' },
        order_id ?? '',
      ]),
      whole: [3, 4],
      empty: 'No credits have come or gone yet.',
    },
    page,
  );
}

/** A price for people. */
export function layOutQuote(quote: Quote, page: Page): string {
  const { amount_minor, fee_minor, total_minor, fee_bps } = quote;
  return layOutCard(
    {
      heading: `${showCredits(total_minor)} in all`,
      rows: [
        ['for the contractor', alignRight(amount_minor, total_minor)],
        ['commission', `${alignRight(fee_minor, total_minor)} (${showPercent(fee_bps)})`],
        ['total', formatCredits(total_minor)],
      ],
    },
    page,
  );
}

/** Basis points as a percentage: 1000 is 10 %. */
export function showPercent(bps: number): string {
  return `${String(bps / 100)} %`;
}

function alignRight(minor: number, widest: number): string {
  return formatCredits(minor).padStart(formatCredits(widest).length);
}
