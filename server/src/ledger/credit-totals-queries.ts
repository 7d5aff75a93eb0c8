import { sql } from 'kysely';
import { toSafeInteger } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

/** The credits of the whole platform, in minor units. */
export interface CreditTotals {
  readonly issued: number;
  readonly available: number;
  readonly reserved: number;
  readonly fees: number;
}

/** The issued credits must equal the balances of all agents plus the platform's fees. */
export async function sumCredits(reader: Reader): Promise<CreditTotals> {
  const { rows } = await sql<Record<keyof CreditTotals, number | string>>`
    select issued, fees, available, reserved
    from (
      select coalesce(-sum(delta_minor) filter (where account_kind = 'issuance'), 0)::bigint as issued,
             coalesce(sum(delta_minor) filter (where account_kind = 'fees'), 0)::bigint as fees
      from ledger_entries where agent_id is null
    ) platform
    cross join (
      select coalesce(sum(available_minor), 0)::bigint as available,
             coalesce(sum(reserved_minor), 0)::bigint as reserved
      from wallets
    ) agents`.execute(reader);
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no sums.');
  return {
    issued: toSafeInteger(row.issued),
    available: toSafeInteger(row.available),
    reserved: toSafeInteger(row.reserved),
    fees: toSafeInteger(row.fees),
  };
}
