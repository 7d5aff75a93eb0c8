import { sql } from 'kysely';
import { findPlatformFact } from '../store/platform-facts.ts';
import type { Reader } from '../store/store.ts';

/** The name under which the verified time is stored. */
export const verifiedUntilFactName = 'ledger_verified_until';

/** The time up to which the whole ledger is verified; undefined before the first check and after a fault. */
export async function findVerifiedUntil(reader: Reader): Promise<Date | undefined> {
  const kept = await findPlatformFact(reader, verifiedUntilFactName);
  return kept === undefined ? undefined : new Date(kept);
}

/** The name under which the result of the last check is stored. */
export const ledgerCheckFactName = 'ledger_checked';

/** The time of a ledger check and its number of faults. */
export interface LedgerCheckResult {
  readonly at: Date;
  readonly faults: number;
}

/** SQL that selects the result of the last check as text; null before the first check. */
export const ledgerCheckSql = sql<
  string | null
>`(select value from platform_facts where name = ${sql.lit(ledgerCheckFactName)})`;

/** Parses the text that `ledgerCheckSql` selects. */
export function parseLedgerCheck(text: string | null): LedgerCheckResult | undefined {
  const [at = '', faults = ''] = text?.split(' ') ?? [];
  return text === null ? undefined : { at: new Date(at), faults: Number(faults) };
}
