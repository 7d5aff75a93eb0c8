import type { Reader } from '../store/store.ts';

/** The name under which the time is kept. */
export const verifiedUntilName = 'ledger_verified_until';

/** The time up to which the whole ledger was verified without a fault; undefined before the first time. */
export async function findVerifiedUntil(reader: Reader): Promise<Date | undefined> {
  const kept = await reader
    .selectFrom('platform_facts')
    .where('name', '=', verifiedUntilName)
    .select('value')
    .executeTakeFirst();
  return kept && new Date(kept.value);
}
