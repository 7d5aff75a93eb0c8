import { sql } from 'kysely';
import { findPlatformFact } from '../store/platform-facts.ts';
import type { Reader } from '../store/store.ts';

export const verifiedUntilFactName = 'ledger_verified_until';

/** Returns undefined before the first check and after a fault. */
export async function findVerifiedUntil(reader: Reader): Promise<Date | undefined> {
  const kept = await findPlatformFact(reader, verifiedUntilFactName);
  return kept === undefined ? undefined : new Date(kept);
}

export const ledgerCheckFactName = 'ledger_checked';

export interface LedgerCheckResult {
  readonly at: Date;
  readonly faults: number;
}

/** The value is null before the first check. */
export const ledgerCheckSql = sql<
  string | null
>`(select value from platform_facts where name = ${sql.lit(ledgerCheckFactName)})`;

export function parseLedgerCheck(text: string | null): LedgerCheckResult | undefined {
  const [at = '', faults = ''] = text?.split(' ') ?? [];
  return text === null ? undefined : { at: new Date(at), faults: Number(faults) };
}
