import { sql } from 'kysely';
import { safeInteger } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

/** The credits of the platform as a whole, in minor units. */
export interface CreditTotals {
  readonly issued: number;
  readonly available: number;
  readonly reserved: number;
  readonly fees: number;
}

/** Sums the credits: the issued ones equal the balances of all agents plus the fees of the platform. */
export async function sumCredits(reader: Reader): Promise<CreditTotals> {
  const { rows } = await sql<Record<keyof CreditTotals, number | string>>`
    select
      (select coalesce(-sum(delta_minor), 0)::bigint from ledger_entries
       where agent_id is null and account_kind = 'issuance') as issued,
      (select coalesce(sum(delta_minor), 0)::bigint from ledger_entries
       where agent_id is null and account_kind = 'fees') as fees,
      (select coalesce(sum(available_minor), 0)::bigint from wallets) as available,
      (select coalesce(sum(reserved_minor), 0)::bigint from wallets) as reserved`.execute(reader);
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no sums.');
  return {
    issued: safeInteger(row.issued),
    available: safeInteger(row.available),
    reserved: safeInteger(row.reserved),
    fees: safeInteger(row.fees),
  };
}
